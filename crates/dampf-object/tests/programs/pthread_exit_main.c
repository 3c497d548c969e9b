// expect: verified
// expect: assertion flags: -DBUG
// The process goes on when its main thread ends with pthread_exit.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static void *body(void *none) {
#ifdef BUG
    assert(none != NULL); // fault: assertion
#endif
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_exit(NULL);
}
