// expect: verified
// expect: assertion flags: -DBUG
// A bit that may be either.
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assert(int);

int main(void) {
    _Bool first = __VERIFIER_nondet_bool(), second = __VERIFIER_nondet_bool();
    __VERIFIER_assert((first ^ second) == (first != second));
#ifdef BUG
    __VERIFIER_assert(!(first && !second)); // fault: assertion
#endif
    return 0;
}
