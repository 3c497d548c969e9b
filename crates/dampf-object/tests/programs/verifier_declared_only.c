// expect: verified
// expect: assertion flags: -DBUG
// expect: unknown flags: -DPOINTER
// Functions of the verification community that a program declares and leaves to the checker.
#include <assert.h>
#include <stddef.h>

extern void assume_abort_if_not(int condition);
extern _Bool __VERIFIER_nondet_bool(void);
extern void *__VERIFIER_nondet_pointer(void);

int main(void) {
    int number = __VERIFIER_nondet_bool();
#ifndef BUG
    assume_abort_if_not(number);
#endif
    assert(number); // fault: assertion
#ifdef POINTER
    // Not every pointer can be tried.
    return __VERIFIER_nondet_pointer() != NULL;
#endif
    return 0;
}
