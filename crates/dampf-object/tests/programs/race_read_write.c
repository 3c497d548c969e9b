// expect: data-race
// One writes, one reads.
#include <pthread.h>

static int shared;

static void *body(void *none) {
    shared = 1; // fault: data-race
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    int seen = shared; // fault: data-race
    pthread_join(thread, NULL);
    return seen > 1;
}
