// Two counters that move together: the proof needs their difference, which nothing in the program speaks of.
//~ VERDICT verified
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    int up = 0, down = n;
    if (n < 0)
        return 0;
    while (down > 0) {
        up++;
        down--;
    }
    if (up + down != n)
        reach_error();
    return 0;
}
