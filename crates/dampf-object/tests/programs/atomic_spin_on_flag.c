// expect: verified
// Waiting by looking again and again.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sched.h>

static atomic_int ready;
static int value;

static void *body(void *none) {
    value = 3;
    atomic_store(&ready, 1);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    while (!atomic_load(&ready)) sched_yield();
    assert(value == 3);
    pthread_join(thread, NULL);
    return 0;
}
