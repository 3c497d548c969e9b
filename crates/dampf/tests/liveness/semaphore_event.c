// expect: verified options: --livelock
// expect: verified options: --starvation
// expect: verified options: --ltl <>served==2 --fairness weak
// expect: unknown flags: -DONCE options: --livelock
// expect: livelock flags: -DONCE options: --starvation
// expect: property flags: -DONCE options: --ltl <>served==2 --fairness weak
//
// A semaphore used as an event for two threads: every thread that was woken wakes the next. ONCE does not: then whoever
// comes second waits for ever, while the heart beats.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t event;
static atomic_int served;

static void *waits(void *unused) {
    sem_wait(&event);
#ifndef ONCE
    sem_post(&event);
#endif
    served++;
    return unused;
}

static void *beats(void *unused) {
    while (served < 2) {
    }
    return unused;
}

int main(void) {
    pthread_t threads[3];
    sem_init(&event, 0, 0);
    pthread_create(&threads[0], 0, waits, 0);
    pthread_create(&threads[1], 0, waits, 0);
    pthread_create(&threads[2], 0, beats, 0);
    sem_post(&event);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
}
