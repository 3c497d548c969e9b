// expect: verified
// expect: assertion flags: -DBUG
// Waiting with a deadline ends with a signal or without.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *body(void *none) {
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return none;
}

int main(void) {
    pthread_t thread;
    struct timespec deadline = {1, 0};
    int status = 0;
    pthread_create(&thread, NULL, body, NULL);
    pthread_mutex_lock(&mutex);
    while (!ready && status == 0) status = pthread_cond_timedwait(&changed, &mutex, &deadline);
    assert(ready || status == ETIMEDOUT);
#ifdef BUG
    assert(ready); // fault: assertion
#endif
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
