// expect: verified
// expect: deadlock flags: -DBUG
// Waiting with a predicate; a notification that does not come.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

int main() {
    std::mutex mutex;
    std::condition_variable changed;
    int stage = 0;
    std::thread thread([&] {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return stage == 1; });
        stage = 2;
#ifndef BUG
        changed.notify_one();
#endif
    });
    std::unique_lock<std::mutex> lock(mutex);
    stage = 1;
    changed.notify_all();
    changed.wait(lock, [&] { return stage == 2; });
    lock.unlock();
    thread.join();
    assert(stage == 2);
    return 0;
}
