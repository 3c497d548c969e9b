// expect: verified
// expect: assertion flags: -DBUG
// What was assumed need not be checked.
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_assert(int);

int main(void) {
    unsigned char number = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(number >= 10 && number <= 12);
#ifdef BUG
    __VERIFIER_assert(number != 11); // fault: assertion
#else
    __VERIFIER_assert(number != 9 && number != 13);
#endif
    return 0;
}
