// expect: verified
// expect: assertion flags: -DBUG
// A lock with a deadline may miss it.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *body(void *none) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return none;
}

int main(void) {
    pthread_t thread;
    struct timespec deadline = {0, 0};
    pthread_create(&thread, NULL, body, NULL);
    int status = pthread_mutex_timedlock(&mutex, &deadline);
    assert(status == 0 || status == ETIMEDOUT);
#ifdef BUG
    assert(status == 0); // fault: assertion
#endif
    if (status == 0) pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
