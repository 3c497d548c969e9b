// expect: verified flags: -std=c++17
// expect: data-race flags: -std=c++17 -DSHARED
//
// Those who write hold a lock alone. With SHARED, they hold it as readers do, and that orders no two of them.
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex mutex;
static int sum;
static std::atomic<int> calls{0};

static void count() {
#ifdef SHARED
    std::shared_lock<std::shared_mutex> guard(mutex);
#else
    std::unique_lock<std::shared_mutex> guard(mutex);
#endif
    calls.fetch_add(1, std::memory_order_relaxed);
    sum++;
}

int main() {
    std::thread one(count), two(count);
    int seen;
    {
        std::shared_lock<std::shared_mutex> guard(mutex);
        seen = sum;
    }
    one.join();
    two.join();
    return seen <= 2 && sum == 2 ? 0 : 1;
}
