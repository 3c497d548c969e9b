// expect: verified
// expect: data-race flags: -DBUG
// Looking before locking needs an atomic to look at.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

#ifdef BUG
static int *instance;
#else
static std::atomic<int *> instance;
#endif
static std::mutex mutex;
static int storage;

static int *get() {
    if (!instance) { // fault: data-race
        std::lock_guard<std::mutex> guard(mutex);
        if (!instance) {
            storage = 5;
            instance = &storage; // fault: data-race
        }
    }
    return instance; // fault: data-race
}

int main() {
    std::thread thread([] { assert(*get() == 5); });
    assert(*get() == 5);
    thread.join();
    return 0;
}
