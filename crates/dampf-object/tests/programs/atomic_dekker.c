// expect: verified
// expect: data-race flags: -DBUG
// Each says what it wants, then looks at the other: at most one goes in.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2];
static int inside;

static void enter(int own) {
#ifndef BUG
    atomic_store(&wants[own], 1);
#endif
    if (!atomic_load(&wants[1 - own])) {
        inside++; // fault: data-race
    }
#ifdef BUG
    atomic_store(&wants[own], 1);
#endif
}

static void *body(void *none) {
    enter(1);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    enter(0);
    pthread_join(thread, NULL);
    assert(inside <= 1);
    return 0;
}
