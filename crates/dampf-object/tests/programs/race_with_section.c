// expect: data-race
// expect: verified flags: -DBOTH_IN_SECTIONS
// expect: verified flags: -DATOMIC
//
// Nothing orders an atomic section and a plain access outside of sections. Sections exclude each other, and an atomic
// access is no race with one.
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

#ifdef ATOMIC
static atomic_int shared;
#else
static int shared;
#endif

static void *inside(void *unused) {
    (void)unused;
    __VERIFIER_atomic_begin();
    int seen = shared;
    shared = seen + 1;
    __VERIFIER_atomic_end();
    return 0;
}

static void *outside(void *unused) {
    (void)unused;
#ifdef BOTH_IN_SECTIONS
    return inside(0);
#else
    shared = 7;
    return 0;
#endif
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, inside, 0);
    pthread_create(&two, 0, outside, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
