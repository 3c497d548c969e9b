// expect: verified
// expect: use-after-scope flags: -DBUG
// expect: use-after-scope flags: -DLOOP
// expect: use-after-scope flags: -DBUG -O1
// A local variable ends with its block, and begins anew in each round of a loop.
int main(void) {
    int *kept = 0, result = 0;
    for (int i = 0; i < 2; i++) {
#ifdef LOOP
        if (kept) result = *kept; // fault: use-after-scope
#endif
        int numbers[3] = {i};
        kept = numbers;
        result = *kept;
    }
#ifdef BUG
    result = *kept; // fault: use-after-scope
#endif
    return result - 1;
}
