// expect: verified
// expect: assertion flags: -funsigned-char
//
// `char` is signed where programs run, and is here, though not by itself on this machine.
#include <assert.h>

extern char __VERIFIER_nondet_char(void);

int main(void) {
    char least = (char)-1;
    assert(least < 0); // fault: assertion
    char any = __VERIFIER_nondet_char();
    assert(any >= -128 && any <= 127);
    return 0;
}
