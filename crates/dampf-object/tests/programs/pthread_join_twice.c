// expect: thread-misuse
// The second pthread_join names a thread that is gone.
#include <pthread.h>

static void *body(void *none) {
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
    pthread_join(thread, NULL); // fault: thread-misuse
    return 0;
}
