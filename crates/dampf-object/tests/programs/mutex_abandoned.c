// expect: deadlock
// A thread that ends does not give back what it holds.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *body(void *none) {
    pthread_mutex_lock(&mutex);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&mutex);
    return 0;
}
