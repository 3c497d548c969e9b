// expect: unknown
// expect: assertion flags: -DLIMIT=3
// A number may be anything: all of them cannot be tried, but what is wrong with a small one is found.
#ifndef LIMIT
#define LIMIT 2
#endif
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);
extern void __VERIFIER_assume(int);

int main(void) {
    int number = __VERIFIER_nondet_int();
    __VERIFIER_assume(number >= 0 && number <= LIMIT);
    __VERIFIER_assert(number != 3); // fault: assertion
    return 0;
}
