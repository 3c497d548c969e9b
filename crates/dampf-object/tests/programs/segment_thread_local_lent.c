// expect: verified
// expect: data-race flags: -DBUG
// expect: invalid-access flags: -DENDED
//
// A thread-local variable is another's by its address: between two semaphores, beside its own thread, or when that may
// have ended.
#include <pthread.h>
#include <semaphore.h>

static _Thread_local int local;
static sem_t ready, used;
static int *shared;

static void *lends(void *unused) {
    local = 1;
    shared = &local;
    sem_post(&ready);
#ifdef BUG
    local = 2; // fault: data-race
#endif
#ifndef ENDED
    sem_wait(&used);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&ready, 0, 0);
    sem_init(&used, 0, 0);
    pthread_create(&thread, 0, lends, 0);
    sem_wait(&ready);
    int seen = *shared; // fault: data-race invalid-access
    sem_post(&used);
    pthread_join(thread, 0);
    return seen == 0;
}
