// expect: undefined-behaviour
// expect: verified flags: -DFIX
// A number that is too large for the type that it is converted to.
static volatile double large = 1e10;

int main(void) {
#ifdef FIX
    long number = (long)large;
#else
    int number = (int)large; // fault: undefined-behaviour
#endif
    return number == 0;
}
