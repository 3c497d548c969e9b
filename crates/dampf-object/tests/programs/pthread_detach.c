// expect: verified
// A detached thread needs nobody to wait for it, and may or may not run before the process ends.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ran;

static void *body(void *none) {
    atomic_store(&ran, 1);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_detach(thread);
    return 0;
}
