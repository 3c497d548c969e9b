// expect: verified
// Exactly one of those who met at a barrier is told that it was the one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static atomic_int serial;

static void meet(void) {
    int status = pthread_barrier_wait(&barrier);
    assert(status == 0 || status == PTHREAD_BARRIER_SERIAL_THREAD);
    if (status == PTHREAD_BARRIER_SERIAL_THREAD) atomic_fetch_add(&serial, 1);
}

static void *body(void *none) {
    meet();
    meet();
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, body, NULL);
    meet();
    meet();
    pthread_join(thread, NULL);
    assert(serial == 2);
    return 0;
}
