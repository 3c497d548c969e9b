// expect: verified flags: -DTRIES=0 states: 7
// expect: verified flags: -DTRIES=1024 states: 14
// expect: deadlock flags: -DTRIES=1024 -DLOST states: 14
// expect: deadlock flags: -DTRIES=3 -DLOST options: --reduce none
// A semaphore that tries for a while before it sleeps: how often it has tried means nothing to anybody else.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static atomic_int available;
static sem_t waiting;
static int taken;

static void acquire(void) {
    int tries = TRIES;
    while (--tries >= 0) {
        int old = atomic_load(&available);
        if (old > 0 && atomic_compare_exchange_strong(&available, &old, old - 1)) return;
    }
    if (atomic_fetch_sub(&available, 1) > 0) return;
    while (sem_wait(&waiting)) {}
}

static void release(void) {
    if (atomic_fetch_add(&available, 1) < 0) {
#ifndef LOST
        sem_post(&waiting);
#endif
    }
}

static void *consumer(void *none) {
    acquire();
    taken++;
    return none;
}

int main(void) {
    pthread_t thread;
    sem_init(&waiting, 0, 0);
    pthread_create(&thread, NULL, consumer, NULL);
    release();
    pthread_join(thread, NULL);
    assert(taken == 1);
    return 0;
}
