// expect: verified
// expect: stack-access flags: -DBUG
//
// A thread's variable is used by another: while the thread waits for that, or when it may have ended.
#include <pthread.h>
#include <semaphore.h>

static sem_t ready, used;
static int *shared;

static void *lends(void *unused) {
    int number = 1;
    shared = &number;
    sem_post(&ready);
#ifndef BUG
    sem_wait(&used);
#endif
    return number < 0 ? &used : unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&ready, 0, 0);
    sem_init(&used, 0, 0);
    pthread_create(&thread, 0, lends, 0);
    sem_wait(&ready);
    int seen = *shared; // fault: stack-access
    sem_post(&used);
    pthread_join(thread, 0);
    return seen != 1;
}
