// expect: deadlock
// expect: deadlock flags: -DOTHERS
// A thread that ends does not give back what it holds.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *body(void *none) {
    pthread_mutex_lock(&mutex);
    return none;
}

static void *goes_on(void *none) {
    static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    for (;;) {
        pthread_mutex_lock(&own);
        pthread_mutex_unlock(&own);
    }
    return none;
}

int main(void) {
    pthread_t thread;
#ifdef OTHERS
    pthread_create(&thread, NULL, goes_on, NULL);
#endif
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&mutex);
    return 0;
}
