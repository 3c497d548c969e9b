// expect: data-race
// expect: data-race flags: -DHANDLER
// expect: data-race flags: -DTHREAD_EXITS
// expect: verified flags: -DQUIET
//
// The program ends while a thread still runs: what the last steps access, and what handlers do at the end, races with
// it.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t ready;
static int shared, other;

static void *writes(void *unused) {
    sem_wait(&ready);
#ifndef QUIET
    shared = 1; // fault: data-race
#endif
    return unused;
}

static void *exits(void *unused) {
    shared = 2; // fault: data-race
    exit(0);
    return unused;
}

static void finish(void) {
    shared = 3; // fault: data-race
}

int main(void) {
    pthread_t thread, exiting;
    sem_init(&ready, 0, 0);
    pthread_create(&thread, 0, writes, 0);
#ifdef HANDLER
    atexit(finish);
    sem_post(&ready);
#elif defined(THREAD_EXITS)
    sem_post(&ready);
    pthread_create(&exiting, 0, exits, 0);
    pthread_exit(0);
#else
    sem_post(&ready);
    shared = 2; // fault: data-race
#endif
    (void)exiting, (void)exits, (void)finish;
    return other;
}
