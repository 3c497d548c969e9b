// expect: assertion
// expect: assertion flags: -DNEW
// What a thread did before its assumption fails has happened, and others may see it.
#include <pthread.h>
#include <stdatomic.h>

extern void __VERIFIER_assume(int);
extern void __VERIFIER_assert(int);

static atomic_int seen;
static volatile int never;

static void *assumes(void *unused) {
    seen = 1;
    __VERIFIER_assume(never);
    return unused;
}

static void *assumes_at_once(void *unused) {
    __VERIFIER_assume(never);
    return unused;
}

static void *looks(void *unused) {
    __VERIFIER_assert(seen == 0); // fault: assertion
    return unused;
}

int main(void) {
    pthread_t one, two;
#ifdef NEW
    pthread_create(&one, 0, assumes_at_once, 0);
    __VERIFIER_assert(0); // fault: assertion
#else
    pthread_create(&one, 0, assumes, 0);
#endif
    pthread_create(&two, 0, looks, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
