// expect: verified
// expect: data-race flags: -DJOIN
// expect: data-race flags: -DSEMAPHORE
// expect: data-race flags: -DALIGNED
// expect: data-race flags: -DCREATE
// expect: data-race flags: -DCLOCK
// expect: data-race flags: -DWRITE
// Where a function leaves its result, and what a system call reads, is accessed like by any other code.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void *shared[2];
static sem_t semaphore;

static void *nothing(void *unused) {
    return unused;
}

static void *looks(void *unused) {
    (void)unused;
#ifdef WRITE
    ((char *)shared)[0] = 'x'; // fault: data-race
    return 0;
#else
    return shared[0]; // fault: data-race
#endif
}

int main(void) {
    pthread_t first, second;
    sem_init(&semaphore, 0, 1);
    pthread_create(&first, 0, looks, 0);
    pthread_create(&second, 0, nothing, 0);
#if defined(JOIN)
    pthread_join(second, shared); // fault: data-race
#elif defined(SEMAPHORE)
    sem_getvalue(&semaphore, (int *)shared); // fault: data-race
#elif defined(ALIGNED)
    if (posix_memalign(shared, 16, 16) != 0) return 1; // fault: data-race
#elif defined(CREATE)
    pthread_create((pthread_t *)shared, 0, nothing, 0); // fault: data-race
#elif defined(CLOCK)
    clock_gettime(CLOCK_MONOTONIC, (struct timespec *)shared); // fault: data-race
#elif defined(WRITE)
    if (write(1, shared, 4) != 4) return 1; // fault: data-race
#endif
    pthread_join(first, 0);
#ifndef JOIN
    pthread_join(second, shared);
#endif
    return 0;
}
