// expect: lock-misuse
// Unlocking a mutex that another thread holds.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *body(void *none) {
    pthread_mutex_unlock(&mutex); // fault: lock-misuse
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
    return 0;
}
