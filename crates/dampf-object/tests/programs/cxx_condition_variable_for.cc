// expect: verified
// Waiting for a time ends with the predicate true or not.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

int main() {
    std::mutex mutex;
    std::condition_variable changed;
    bool ready = false;
    std::thread thread([&] {
        std::lock_guard<std::mutex> guard(mutex);
        ready = true;
        changed.notify_one();
    });
    {
        std::unique_lock<std::mutex> lock(mutex);
        bool seen = changed.wait_for(lock, std::chrono::milliseconds(5), [&] { return ready; });
        assert(seen == ready);
    }
    thread.join();
    return 0;
}
