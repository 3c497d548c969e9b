// expect: verified
// expect: assertion flags: -DBUG
// An atomic increment, and a load and a store that only look like one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *body(void *none) {
#ifdef BUG
    int value = atomic_load(&counter);
    atomic_store(&counter, value + 1);
#else
    atomic_fetch_add(&counter, 1);
#endif
    return none;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, body, NULL);
    pthread_create(&second, NULL, body, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(counter == 2); // fault: assertion
    return 0;
}
