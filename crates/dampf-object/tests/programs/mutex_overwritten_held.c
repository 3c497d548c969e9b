// expect: data-race
// expect: data-race flags: -DHEAP
// expect: data-race flags: -DHEAP -DSTORE
// expect: data-race flags: -DREAD
// expect: verified flags: -DJOIN
// expect: verified flags: -DHEAP -DJOIN
// A mutex is overwritten like any variable while another thread holds it, which has yet to unlock it and then ends at
// once. When all is done it may be.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t global;
static pthread_mutex_t *mutex = &global;
static sem_t held;

static void *holder(void *none) {
    pthread_mutex_lock(mutex);
    sem_post(&held);
    pthread_mutex_unlock(mutex);
    return none;
}

int main(void) {
    pthread_t thread;
#ifdef HEAP
    mutex = malloc(sizeof *mutex);
#endif
    pthread_mutex_init(mutex, NULL);
    sem_init(&held, 0, 0);
    pthread_create(&thread, NULL, holder, NULL);
    sem_wait(&held);
#ifdef JOIN
    pthread_join(thread, NULL);
#endif
#if defined STORE
    *(int *)mutex = 0;
#elif defined READ
    volatile int seen = *(int *)mutex;
    (void)seen;
#else
    memset(mutex, 0, sizeof *mutex);
#endif
#ifndef JOIN
    pthread_join(thread, NULL);
#endif
#ifdef HEAP
    free(mutex);
#endif
    return 0;
}
