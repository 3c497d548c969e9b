// A lock is taken and released in turn, whatever the requests are: the classical example of predicate abstraction.
//~ VERDICT verified
extern int __VERIFIER_nondet_int(void);

int locked = 0;

void acquire(void) {
    assert(locked == 0);
    locked = 1;
}

void release(void) {
    assert(locked == 1);
    locked = 0;
}

int main(void) {
    int requests, handled = 0, old;
    do {
        acquire();
        old = handled;
        requests = __VERIFIER_nondet_int();
        if (requests > 0) {
            release();
            handled++;
        }
    } while (handled != old);
    release();
    return 0;
}
