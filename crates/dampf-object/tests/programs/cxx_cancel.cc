// expect: verified
// expect: deadlock flags: -DFORGOTTEN
#include <cassert>
#include <mutex>
#include <pthread.h>
#include <unistd.h>

static std::mutex mutex;
static int destroyed;

struct Guard {
    ~Guard() { destroyed++; }
};

// Cancellation leaves the functions like an exception does.
static void *work(void *unused) {
    Guard guard;
#ifdef FORGOTTEN
    mutex.lock();
#else
    std::lock_guard<std::mutex> lock(mutex);
#endif
    for (;;) pause();
    return unused;
}

int main() {
    pthread_t thread;
    void *result;
    pthread_create(&thread, nullptr, work, nullptr);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED && destroyed == 1);
    mutex.lock();
    mutex.unlock();
    return 0;
}
