// expect: verified
// expect: use-after-free flags: -DBUG
// The one who uses a block has to be done before it is freed. Atomics order the accesses, so nothing races.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) shared;

static void *user(void *none) {
    int *pointer = atomic_load(&shared);
    if (pointer) atomic_fetch_add((_Atomic int *)pointer, 1); // fault: use-after-free
    return none;
}

int main(void) {
    pthread_t thread;
    int *block = calloc(1, sizeof *block);
    atomic_store(&shared, block);
    pthread_create(&thread, NULL, user, NULL);
#ifndef BUG
    pthread_join(thread, NULL);
#endif
    atomic_store(&shared, NULL);
    free(block);
#ifdef BUG
    pthread_join(thread, NULL);
#endif
    return 0;
}
