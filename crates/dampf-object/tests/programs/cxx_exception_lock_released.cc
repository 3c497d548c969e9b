// expect: verified
// expect: deadlock flags: -DBUG
// A guard gives its mutex back when an exception passes.
#include <mutex>

static std::mutex mutex;

static void work() {
#ifdef BUG
    mutex.lock();
    throw 1;
#else
    std::lock_guard<std::mutex> guard(mutex);
    throw 1;
#endif
}

int main() {
    for (int i = 0; i < 2; i++) {
        try {
            work();
        } catch (int) {
        }
    }
    return 0;
}
