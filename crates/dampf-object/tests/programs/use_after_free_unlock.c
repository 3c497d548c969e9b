// expect: use-after-free
// expect: use-after-free flags: -DPOST
// expect: verified flags: -DFIX
// The owner frees the object when it hears that the work is done, and the worker has still to unlock it.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

struct job {
    pthread_mutex_t mutex;
    sem_t semaphore;
    atomic_int done;
};

static void *works(void *argument) {
    struct job *job = argument;
#ifdef POST
    job->done = 1;
    sem_post(&job->semaphore); // fault: use-after-free
#else
    pthread_mutex_lock(&job->mutex);
    job->done = 1;
    pthread_mutex_unlock(&job->mutex); // fault: use-after-free
#endif
    return 0;
}

int main(void) {
    pthread_t thread;
    struct job *job = malloc(sizeof *job);
    if (!job) return 1;
    pthread_mutex_init(&job->mutex, 0);
    sem_init(&job->semaphore, 0, 0);
    job->done = 0;
    pthread_create(&thread, 0, works, job);
    while (!job->done) {}
#ifdef FIX
    pthread_mutex_lock(&job->mutex);
    pthread_mutex_unlock(&job->mutex);
#endif
    free(job);
    pthread_join(thread, 0);
    return 0;
}
