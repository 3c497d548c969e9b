// expect: data-race
// Both hold a lock, each its own.
#include <pthread.h>

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *body(void *none) {
    pthread_mutex_lock(&second_lock);
    shared++; // fault: data-race
    pthread_mutex_unlock(&second_lock);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_mutex_lock(&first_lock);
    shared++; // fault: data-race
    pthread_mutex_unlock(&first_lock);
    pthread_join(thread, NULL);
    return 0;
}
