// expect: verified
// expect: lock-misuse flags: -DUSED
// expect: lock-misuse flags: -DTWICE
// expect: lock-misuse flags: -DNEVER
// expect: lock-misuse flags: -DWAITED
#include <pthread.h>

static pthread_barrier_t barrier;

static void *meet(void *unused) {
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void) {
#ifndef NEVER
    if (pthread_barrier_init(&barrier, NULL, 2) != 0) return 1;
#endif
    pthread_t thread;
    pthread_create(&thread, NULL, meet, NULL);
#ifdef WAITED
    pthread_barrier_init(&barrier, NULL, 2);
#endif
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&barrier);
#ifdef USED
    pthread_barrier_wait(&barrier);
#endif
#ifdef TWICE
    pthread_barrier_destroy(&barrier);
#endif
    // What was destroyed can be initialised again.
    pthread_barrier_init(&barrier, NULL, 1);
    return pthread_barrier_wait(&barrier) != PTHREAD_BARRIER_SERIAL_THREAD;
}
