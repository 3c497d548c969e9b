// expect: lock-misuse
// Destroying a mutex that is held.
#include <pthread.h>

int main(void) {
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_destroy(&mutex); // fault: lock-misuse
    return 0;
}
