// expect: data-race
// Reading the result without waiting for it.
#include <pthread.h>

static void *body(void *result) {
    *(int *)result = 1; // fault: data-race
    return NULL;
}

int main(void) {
    pthread_t thread;
    int result = 0;
    pthread_create(&thread, NULL, body, &result);
    int seen = result; // fault: data-race
    pthread_join(thread, NULL);
    return seen > 1;
}
