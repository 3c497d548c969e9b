// expect: verified
// A condition variable for any kind of lock.
#include <condition_variable>
#include <shared_mutex>
#include <thread>

int main() {
    std::shared_mutex mutex;
    std::condition_variable_any changed;
    bool ready = false;
    std::thread thread([&] {
        mutex.lock();
        ready = true;
        mutex.unlock();
        changed.notify_all();
    });
    {
        std::shared_lock<std::shared_mutex> lock(mutex);
        changed.wait(lock, [&] { return ready; });
    }
    thread.join();
    return 0;
}
