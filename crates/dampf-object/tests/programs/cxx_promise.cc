// expect: verified
// expect: deadlock flags: -DBUG
// A promise in one thread, its future in another.
#include <cassert>
#include <future>
#include <thread>

int main() {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
#ifdef BUG
    return future.get();
#else
    std::thread thread([&promise] { promise.set_value(7); });
    assert(future.get() == 7);
    assert(!future.valid());
    thread.join();
    return 0;
#endif
}
