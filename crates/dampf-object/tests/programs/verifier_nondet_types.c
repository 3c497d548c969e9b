// expect: verified
// expect: assertion flags: -DBUG=1
// expect: assertion flags: -DBUG=2
// expect: assertion flags: -DBUG=3
// expect: unknown flags: -DBUG=4
// Every type has values of its own, and what has none that can be tried is told.
extern signed char __VERIFIER_nondet_schar(void);
extern unsigned long __VERIFIER_nondet_size_t(void);
extern long long __VERIFIER_nondet_longlong(void);
extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assert(int);

int main(void) {
#ifndef BUG
    int number = __VERIFIER_nondet_schar();
    __VERIFIER_assert(number >= -128 && number <= 127);
#elif BUG == 1
    __VERIFIER_assert(__VERIFIER_nondet_schar() != -128); // fault: assertion
#elif BUG == 2
    __VERIFIER_assert(__VERIFIER_nondet_size_t() < 0x80000000u); // fault: assertion
#elif BUG == 3
    __VERIFIER_assert(__VERIFIER_nondet_longlong() >= 0); // fault: assertion
#else
    __VERIFIER_assert(__VERIFIER_nondet_double() != 0.5);
#endif
    return 0;
}
