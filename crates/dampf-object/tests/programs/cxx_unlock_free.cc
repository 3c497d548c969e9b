// expect: lock-misuse
// Unlocking a std::mutex that is not locked.
#include <mutex>

int main() {
    std::mutex mutex;
    mutex.lock();
    mutex.unlock();
    mutex.unlock(); // fault: lock-misuse
    return 0;
}
