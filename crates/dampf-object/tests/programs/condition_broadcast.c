// expect: verified
// expect: deadlock flags: -DBUG
// A broadcast wakes all, a signal only one.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void *wait_for_it(void *none) {
    pthread_mutex_lock(&mutex);
    while (!ready) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    return none;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, wait_for_it, NULL);
    pthread_create(&second, NULL, wait_for_it, NULL);
    pthread_mutex_lock(&mutex);
    ready = 1;
#ifdef BUG
    pthread_cond_signal(&changed);
#else
    pthread_cond_broadcast(&changed);
#endif
    pthread_mutex_unlock(&mutex);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
