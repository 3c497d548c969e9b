// expect: verified
// std::recursive_mutex and std::recursive_timed_mutex.
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

int main() {
    std::recursive_mutex mutex;
    int shared = 0;
    mutex.lock();
    assert(mutex.try_lock());
    std::thread thread([&] {
        std::lock_guard<std::recursive_mutex> guard(mutex);
        shared++;
    });
    shared++;
    mutex.unlock();
    mutex.unlock();
    thread.join();
    assert(shared == 2);
    std::recursive_timed_mutex timed;
    assert(timed.try_lock_for(std::chrono::milliseconds(1)));
    assert(timed.try_lock());
    timed.unlock();
    timed.unlock();
    return 0;
}
