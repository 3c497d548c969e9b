// expect: verified
// expect: deadlock flags: -DBUG
// A recursive mutex is free again when it was unlocked as often as it was locked.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;
static int shared;

static void *body(void *none) {
    pthread_mutex_lock(&mutex);
    shared++;
    pthread_mutex_unlock(&mutex);
    return none;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_t thread;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    pthread_create(&thread, NULL, body, NULL);
    pthread_mutex_lock(&mutex);
    assert(pthread_mutex_lock(&mutex) == 0);
    shared++;
    pthread_mutex_unlock(&mutex);
#ifndef BUG
    pthread_mutex_unlock(&mutex);
    assert(pthread_mutex_unlock(&mutex) == EPERM);
#endif
    pthread_join(thread, NULL);
    assert(shared == 2);
#ifndef BUG
    pthread_mutex_destroy(&mutex);
#endif
    return 0;
}
