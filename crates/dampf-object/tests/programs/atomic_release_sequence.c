// expect: verified
// A read-modify-write continues the release of another thread; a store of a third does not.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int message;
static atomic_int stage;

static void *sender(void *none) {
    message = 1;
    atomic_store_explicit(&stage, 1, memory_order_release);
    return none;
}

static void *relay(void *none) {
    int expected = 1;
#ifdef BUG
    if (atomic_load_explicit(&stage, memory_order_relaxed) == expected)
        atomic_store_explicit(&stage, 2, memory_order_relaxed);
#else
    atomic_compare_exchange_strong_explicit(&stage, &expected, 2, memory_order_relaxed, memory_order_relaxed);
#endif
    return none;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, sender, NULL);
    pthread_create(&second, NULL, relay, NULL);
    if (atomic_load_explicit(&stage, memory_order_acquire) == 2) assert(message == 1);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
