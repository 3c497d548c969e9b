// expect: verified
// expect: assertion flags: -DBUG
// std::timed_mutex: a lock that may be given up.
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

int main() {
    std::timed_mutex mutex;
    mutex.lock();
    std::thread thread([&mutex] {
        bool locked = mutex.try_lock_for(std::chrono::seconds(1));
#ifdef BUG
        assert(locked); // fault: assertion
#endif
        if (locked) mutex.unlock();
    });
    mutex.unlock();
    thread.join();
    return 0;
}
