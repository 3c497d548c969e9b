// expect: verified
// expect: deadlock flags: -DBUG
// std::scoped_lock takes several mutexes without an order.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex left, right;
static int shared;

int main() {
    std::thread thread([] {
#ifdef BUG
        std::lock_guard<std::mutex> first(right), second(left);
#else
        std::scoped_lock lock(right, left);
#endif
        shared++;
    });
    {
#ifdef BUG
        std::lock_guard<std::mutex> first(left), second(right);
#else
        std::scoped_lock lock(left, right);
#endif
        shared++;
    }
    thread.join();
    assert(shared == 2);
    return 0;
}
