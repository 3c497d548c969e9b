// expect: invalid-access
// expect: use-after-free flags: -DJOIN
// expect: use-after-free flags: -DVALUE
// expect: heap-overflow flags: -DCLOCK
// A function is given a place for its result that is none.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

static void *nothing(void *unused) {
    return unused;
}

int main(void) {
    void *place = malloc(8);
    pthread_t thread;
#if defined(JOIN)
    free(place);
    pthread_create(&thread, 0, nothing, 0);
    pthread_join(thread, (void **)place); // fault: use-after-free
#elif defined(VALUE)
    sem_t semaphore;
    sem_init(&semaphore, 0, 1);
    free(place);
    sem_getvalue(&semaphore, (int *)place); // fault: use-after-free
#elif defined(CLOCK)
    clock_gettime(CLOCK_MONOTONIC, (struct timespec *)place); // fault: heap-overflow
    free(place);
#else
    pthread_create(0, 0, nothing, 0); // fault: invalid-access
    free(place);
#endif
    (void)thread;
    return 0;
}
