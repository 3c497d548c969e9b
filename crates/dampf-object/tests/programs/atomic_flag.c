// expect: verified
// A lock made of a flag: releasing it hands over what was written, a relaxed release does not.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag lock = ATOMIC_FLAG_INIT;
static int shared;

#ifdef BUG
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_release
#endif

static void *body(void *none) {
    if (!atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {
        shared++;
        atomic_flag_clear_explicit(&lock, ORDER);
    }
    return none;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, body, NULL);
    pthread_create(&second, NULL, body, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(shared == 1 || shared == 2);
    return 0;
}
