// The rounding mode of the machine.
// flags: -lm
#include <fenv.h>
#include <stdio.h>

int main(void) {
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    volatile double one = 1.0, three = 3.0, minus = -2.5;
    for (int i = 0; i < 4; i++) {
        fesetround(modes[i]);
        volatile double third = one / three, negative = -one / three;
        volatile long near = __builtin_lrint(minus);
        printf("%d %.20f %.20f %ld\n", fegetround() == modes[i], third, negative, near);
    }
    fesetround(FE_TONEAREST);
    feclearexcept(FE_ALL_EXCEPT);
    volatile double inexact = one / three, zero = 0.0;
    volatile double infinite = one / zero;
    printf("%d %d %d\n", fetestexcept(FE_INEXACT) != 0, fetestexcept(FE_DIVBYZERO) != 0, fetestexcept(FE_INVALID) != 0);
    return inexact < infinite ? 7 : 8;
}
