// expect: verified
// expect: deadlock flags: -DBUG
// A signal wakes a waiter; one sent before anybody waits is lost unless a condition says that it was sent.
#include <pthread.h>

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
    pthread_create(&thread, NULL, body, NULL);
    pthread_mutex_lock(&mutex);
#ifdef BUG
    pthread_cond_wait(&changed, &mutex);
#else
    while (!ready) pthread_cond_wait(&changed, &mutex);
#endif
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
