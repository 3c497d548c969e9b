// An index goes around a ring of eight, in unsigned arithmetic that wraps around: it stays below eight for ever.
//~ VERDICT verified
extern _Bool __VERIFIER_nondet_bool(void);

int main(void) {
    unsigned index = 0;
    while (__VERIFIER_nondet_bool()) {
        if (index == 0)
            index = 7;
        else
            index--;
        assert(index < 8);
    }
    return 0;
}
