// expect: verified
// expect: lock-misuse flags: -DTAKEN
// expect: lock-misuse flags: -DPOSTED
// expect: lock-misuse flags: -DTWICE
// expect: lock-misuse flags: -DNEVER
// expect: lock-misuse flags: -DEARLY
#include <pthread.h>
#include <semaphore.h>

static sem_t semaphore;

static void *take(void *unused) {
    sem_wait(&semaphore);
    return unused;
}

int main(void) {
#ifndef NEVER
    sem_init(&semaphore, 0, 0);
#endif
    pthread_t thread;
    pthread_create(&thread, NULL, take, NULL);
    sem_post(&semaphore);
#ifndef EARLY
    pthread_join(thread, NULL);
#endif
    sem_destroy(&semaphore);
#ifdef EARLY
    pthread_join(thread, NULL);
#endif
#ifdef TAKEN
    sem_wait(&semaphore);
#endif
#ifdef POSTED
    sem_post(&semaphore);
#endif
#ifdef TWICE
    sem_destroy(&semaphore);
#endif
    sem_init(&semaphore, 0, 1);
    return sem_wait(&semaphore);
}
