// expect: verified
// Fences order relaxed operations.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int message;
static atomic_int sent;

static void *sender(void *none) {
    message = 42;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&sent, 1, memory_order_relaxed);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, sender, NULL);
    if (atomic_load_explicit(&sent, memory_order_relaxed)) {
#ifdef BUG
        atomic_signal_fence(memory_order_acquire);
#else
        atomic_thread_fence(memory_order_acquire);
#endif
        assert(message == 42);
    }
    pthread_join(thread, NULL);
    return 0;
}
