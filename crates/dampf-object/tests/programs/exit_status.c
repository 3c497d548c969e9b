// expect: verified
// Ending with a status is no fault, from wherever; what was registered is called.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int registered;

static void last(void) {
    if (registered != 1) abort();
}

static void *body(void *none) {
    exit(none != NULL);
}

int main(void) {
    pthread_t thread;
    atexit(last);
    registered = 1;
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
    return 0;
}
