// expect: undefined-behaviour flags: -DADD
// expect: undefined-behaviour flags: -DSUBTRACT
// expect: undefined-behaviour flags: -DMULTIPLY
// expect: undefined-behaviour flags: -DNEGATE
// expect: undefined-behaviour flags: -DDIVIDE
// expect: verified
// Signed arithmetic that does not fit; unsigned arithmetic always does.
#include <limits.h>

int main(void) {
#if defined(ADD)
    volatile int number = INT_MAX, result = number + 1; // fault: undefined-behaviour
#elif defined(SUBTRACT)
    volatile int number = INT_MIN, result = number - 1; // fault: undefined-behaviour
#elif defined(MULTIPLY)
    volatile int number = INT_MAX, result = number * 2; // fault: undefined-behaviour
#elif defined(NEGATE)
    volatile int number = INT_MIN, result = -number; // fault: undefined-behaviour
#elif defined(DIVIDE)
    volatile int number = INT_MIN, result = number / -1; // fault: undefined-behaviour
#else
    volatile unsigned number = UINT_MAX, result = number + 1;
#endif
    return result == 0 ? 0 : 1;
}
