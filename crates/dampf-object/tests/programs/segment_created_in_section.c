// expect: verified
// expect: data-race flags: -DBUG
//
// A thread that creates another under a lock has written something before, or writes it behind.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t inner;
static int shared, counter;

static void *reads(void *unused) {
    int seen = shared; // fault: data-race
    pthread_mutex_lock(&mutex);
    counter += seen;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *creates(void *unused) {
    pthread_mutex_lock(&mutex);
#ifndef BUG
    shared = 1;
#endif
    pthread_create(&inner, 0, reads, 0);
#ifdef BUG
    shared = 1; // fault: data-race
#endif
    counter++;
    pthread_mutex_unlock(&mutex);
    pthread_join(inner, 0);
    return unused;
}

int main(void) {
    pthread_t outer;
    pthread_create(&outer, 0, creates, 0);
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    pthread_join(outer, 0);
    return counter < 2;
}
