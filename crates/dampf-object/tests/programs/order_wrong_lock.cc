// expect: verified
// expect: data-race flags: -DWRONG
//
// Two threads count under a lock, beside a counter that orders nothing. With WRONG, each has a lock of its own.
#include <atomic>
#include <mutex>
#include <thread>

static std::mutex mine, yours;
static int sum;
static std::atomic<int> calls{0};

static void count(std::mutex &mutex) {
    std::lock_guard guard(mutex);
    calls.fetch_add(1, std::memory_order_relaxed);
    sum++;
}

int main() {
#ifdef WRONG
    std::thread one([] { count(mine); }), two([] { count(yours); });
#else
    std::thread one([] { count(mine); }), two([] { count(mine); });
#endif
    one.join();
    two.join();
    return sum == 2 ? 0 : 1;
}
