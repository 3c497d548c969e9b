// expect: verified
// expect: lock-misuse flags: -DSIGNALLED
// expect: lock-misuse flags: -DTWICE
// expect: lock-misuse flags: -DWAITED
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition;  // zeros are a valid one
static int ready;

static void *wait(void *unused) {
    pthread_mutex_lock(&mutex);
    while (!ready) pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    pthread_mutex_lock(&mutex);
    ready = 1;
#ifdef WAITED
    pthread_cond_init(&condition, NULL);
#endif
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    pthread_cond_destroy(&condition);
#ifdef SIGNALLED
    pthread_cond_signal(&condition);
#endif
#ifdef TWICE
    pthread_cond_destroy(&condition);
#endif
    pthread_cond_init(&condition, NULL);
    return pthread_cond_broadcast(&condition);
}
