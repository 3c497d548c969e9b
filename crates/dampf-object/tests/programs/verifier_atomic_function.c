// expect: verified
// expect: data-race flags: -DBUG
// expect: verified flags: -O2
// expect: data-race flags: -DLEAVES_PLAINLY
// A function whose name begins with __VERIFIER_atomic_ is one step, also if it is called once, or calls another such.
#include <pthread.h>

extern void __VERIFIER_assert(int);
extern _Bool __VERIFIER_nondet_bool(void);
extern void abort(void);

void assume_abort_if_not(int condition) {
    if (!condition) abort();
}

static int tickets = 3, sold, inside;

static inline void __VERIFIER_atomic_count(void) {
    sold++;
}

static int __VERIFIER_atomic_sell(void) {
    if (tickets == 0) return 0;
    tickets--;
    __VERIFIER_atomic_count();
    return 1;
}

static void __VERIFIER_atomic_enter(void) {
    assume_abort_if_not(inside == 0); // fault: data-race
    inside = 1;
}

static void __VERIFIER_atomic_leave(void) {
    __VERIFIER_assert(inside == 1);
    inside = 0;
}

static int sell(void) {
    if (tickets == 0) return 0; // fault: data-race
    tickets--;                  // fault: data-race
    sold++;                     // fault: data-race
    return 1;
}

static void *seller(void *unused) {
#ifdef BUG
    while (sell()) {}
#else
    while (__VERIFIER_atomic_sell()) {}
#endif
    if (__VERIFIER_nondet_bool()) {
        __VERIFIER_atomic_enter();
#ifdef LEAVES_PLAINLY
        inside = 0;
#else
        __VERIFIER_atomic_leave();
#endif
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, seller, 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    __VERIFIER_assert(tickets == 0 && sold == 3);
    return 0;
}
