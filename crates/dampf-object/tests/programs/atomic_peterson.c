// expect: verified
// expect: assertion flags: -DBUG
// Peterson's lock, and the same with its two assignments swapped.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn, inside;

static void critical(int own) {
#ifdef BUG
    atomic_store(&turn, 1 - own);
    atomic_store(&wants[own], 1);
#else
    atomic_store(&wants[own], 1);
    atomic_store(&turn, 1 - own);
#endif
    while (atomic_load(&wants[1 - own]) && atomic_load(&turn) == 1 - own) {
    }
    assert(atomic_fetch_add(&inside, 1) == 0); // fault: assertion
    atomic_fetch_sub(&inside, 1);
    atomic_store(&wants[own], 0);
}

static void *body(void *none) {
    critical(1);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    critical(0);
    pthread_join(thread, NULL);
    return 0;
}
