// As ring_index.c, without the question whether the index is zero: below zero is the greatest number.
//~ VERDICT violated
extern _Bool __VERIFIER_nondet_bool(void);

int main(void) {
    unsigned index = 2;
    while (__VERIFIER_nondet_bool()) {
        index--;
        assert(index < 8);
    }
    return 0;
}
