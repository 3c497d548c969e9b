// expect: verified
// expect: assertion flags: -DBUG
// pthread_mutex_trylock succeeds or does not, and never waits.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *body(void *none) {
    int status = pthread_mutex_trylock(&mutex);
    assert(status == 0 || status == EBUSY);
#ifdef BUG
    assert(status == 0); // fault: assertion
#endif
    if (status == 0) {
        shared++;
        pthread_mutex_unlock(&mutex);
    }
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_mutex_lock(&mutex);
    shared++;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    assert(shared == 1 || shared == 2);
    return 0;
}
