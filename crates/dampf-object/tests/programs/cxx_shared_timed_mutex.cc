// expect: verified
// The trying forms of shared mutexes.
#include <cassert>
#include <chrono>
#include <shared_mutex>
#include <thread>

int main() {
    std::shared_timed_mutex mutex;
    mutex.lock_shared();
    std::thread thread([&mutex] {
        assert(!mutex.try_lock());
        assert(mutex.try_lock_shared());
        mutex.unlock_shared();
    });
    thread.join();
    mutex.unlock_shared();
    assert(mutex.try_lock());
    assert(!mutex.try_lock_shared_for(std::chrono::nanoseconds(1)));
    mutex.unlock();
    return 0;
}
