// expect: thread-misuse
// Waiting for a thread that was detached.
#include <pthread.h>

static void *body(void *none) {
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_detach(thread);
    pthread_join(thread, NULL); // fault: thread-misuse
    return 0;
}
