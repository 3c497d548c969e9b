// expect: verified
// expect: assertion flags: -DBUG
// Atomic regions of the verification community.
#include <pthread.h>
#include <stdatomic.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assert(int);

static atomic_int counter;

static void *body(void *none) {
#ifndef BUG
    __VERIFIER_atomic_begin();
#endif
    counter = counter + 1;
#ifndef BUG
    __VERIFIER_atomic_end();
#endif
    return none;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, body, NULL);
    pthread_create(&second, NULL, body, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    __VERIFIER_assert(counter == 2); // fault: assertion
    return 0;
}
