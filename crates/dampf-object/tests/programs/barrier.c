// expect: verified
// expect: data-race flags: -DBUG
// What is written before a barrier is seen after it.
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int written[2];

static void *body(void *number) {
    int own = *(int *)number;
    written[own] = 1; // fault: data-race
#ifndef BUG
    pthread_barrier_wait(&barrier);
#endif
    assert(written[1 - own] <= 1); // fault: data-race
    return NULL;
}

int main(void) {
    pthread_t first, second;
    int zero = 0, one = 1;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&first, NULL, body, &zero);
    pthread_create(&second, NULL, body, &one);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(written[0] + written[1] == 2);
    pthread_barrier_destroy(&barrier);
    return 0;
}
