// expect: verified
// std::lock and std::try_lock with several mutexes.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex left, right;

int main() {
    std::thread thread([] {
        std::lock(right, left);
        std::lock_guard<std::mutex> first(left, std::adopt_lock), second(right, std::adopt_lock);
    });
    int failed = std::try_lock(left, right);
    if (failed == -1) {
        left.unlock();
        right.unlock();
    }
    thread.join();
    assert(std::try_lock(left, right) == -1);
    left.unlock();
    right.unlock();
    return 0;
}
