// expect: verified
// expect: deadlock flags: -DBUG
// Two mutexes in one order, and in two.
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void *body(void *none) {
#ifdef BUG
    pthread_mutex_lock(&right);
    pthread_mutex_lock(&left);
#else
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right);
#endif
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right);
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    pthread_join(thread, NULL);
    return 0;
}
