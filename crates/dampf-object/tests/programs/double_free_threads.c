// expect: verified
// expect: double-free flags: -DBUG
// Two threads that both find the pointer; an exchange lets only one find it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(void *) shared;

static void *release(void *none) {
#ifdef BUG
    void *block = atomic_load(&shared);
    atomic_store(&shared, NULL);
#else
    void *block = atomic_exchange(&shared, NULL);
#endif
    free(block); // fault: double-free
    return none;
}

int main(void) {
    pthread_t first, second;
    atomic_store(&shared, malloc(8));
    pthread_create(&first, NULL, release, NULL);
    pthread_create(&second, NULL, release, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
