// expect: verified
// The end of main is the end of everybody, even of those who wait.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *body(void *none) {
    pthread_mutex_lock(&mutex);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, body, NULL);
    return 0;
}
