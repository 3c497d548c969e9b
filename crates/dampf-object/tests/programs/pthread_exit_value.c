// expect: verified
// pthread_exit ends a thread from within a call, with a value.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static void leave(void) {
    pthread_exit((void *)(intptr_t)7);
}

static void *body(void *none) {
    leave();
    return none;
}

int main(void) {
    pthread_t thread;
    void *result = NULL;
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, &result);
    assert((intptr_t)result == 7);
    return 0;
}
