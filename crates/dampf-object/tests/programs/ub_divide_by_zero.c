// expect: undefined-behaviour
// expect: undefined-behaviour flags: -DREMAINDER
// expect: verified flags: -DDIVISOR=2
// Division by zero.
#ifndef DIVISOR
#define DIVISOR 0
#endif

int main(void) {
    volatile int divisor = DIVISOR;
#ifdef REMAINDER
    return 8 % divisor; // fault: undefined-behaviour
#else
    return 8 / divisor == 4 ? 0 : 1; // fault: undefined-behaviour
#endif
}
