// expect: verified
// expect: deadlock flags: -DBUG
// A thread that exits from within its functions leaves them as if they had returned: a guard unlocks its mutex.
#include <cassert>
#include <mutex>
#include <pthread.h>

static std::mutex mutex;
static int left;

struct Leaver {
    ~Leaver() { left++; }
};

static void leave() {
    Leaver leaver;
#ifdef BUG
    mutex.lock();
#else
    std::lock_guard<std::mutex> guard(mutex);
#endif
    pthread_exit(&left);
}

static void *body(void *) {
    leave();
    return nullptr;
}

int main() {
    pthread_t thread;
    void *result = nullptr;
    pthread_create(&thread, nullptr, body, nullptr);
    pthread_join(thread, &result);
    std::lock_guard<std::mutex> guard(mutex);
    assert(left == 1 && result == &left);
    return 0;
}
