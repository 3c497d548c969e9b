// expect: deadlock
// A barrier for three at which two arrive.
#include <pthread.h>

static pthread_barrier_t barrier;

static void *body(void *none) {
    pthread_barrier_wait(&barrier);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 3);
    pthread_create(&thread, NULL, body, NULL);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    return 0;
}
