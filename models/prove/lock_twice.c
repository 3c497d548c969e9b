// As lock.c, but the lock is kept where there is nothing to do.
//~ VERDICT violated
extern int __VERIFIER_nondet_int(void);

int locked = 0;

void acquire(void) {
    assert(locked == 0);
    locked = 1;
}

int main(void) {
    int rounds = 0;
    while (rounds < 3) {
        acquire();
        if (__VERIFIER_nondet_int() > 0)
            locked = 0;
        rounds++;
    }
    return 0;
}
