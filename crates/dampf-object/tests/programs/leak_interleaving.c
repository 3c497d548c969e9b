// expect: verified
// expect: leak options: --leaks
// expect: verified flags: -DFIX options: --leaks
// Two threads that publish a block each: the one that is overwritten is lost.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(void *) cached;

static void *fill(void *none) {
    if (atomic_load(&cached) == NULL) {
        void *block = malloc(4); // fault: leak
#ifdef FIX
        void *expected = NULL;
        if (!atomic_compare_exchange_strong(&cached, &expected, block)) free(block);
#else
        atomic_store(&cached, block);
#endif
    }
    return none;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, fill, NULL);
    pthread_create(&second, NULL, fill, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
