// expect: verified
// expect: variable-overflow flags: -DAFTER
// expect: variable-overflow flags: -DBEFORE
// expect: variable-overflow flags: -DREAD
// expect: variable-overflow flags: -DAFTER -O2
// A loop that runs over the end of a local array, or starts before it, into what lies beside.
static int sum(int *numbers, int from, int to) {
    int total = 0;
    for (int i = from; i < to; i++) {
#ifndef READ
        numbers[i] = i; // fault: variable-overflow
#endif
        total += numbers[i]; // fault: variable-overflow
    }
    return total;
}

int main(void) {
    int left[4] = {0}, numbers[4] = {0}, right[4] = {0};
    int from = 0, to = 4;
#ifdef BEFORE
    from = -1;
#elif defined(AFTER) || defined(READ)
    to = 5;
#endif
    sum(numbers, from, to);
    return left[0] + right[0];
}
