// Single and double precision, rounding and comparison.
// flags: -lm
#include <math.h>
#include <stdio.h>

int main(void) {
    volatile float a = 1.1f, b = 3.3f, tiny = 1e-38f;
    volatile double c = 2.2, d = -7.7;
    printf("%.9g %.9g %.9g %.9g\n", a + b, a - b, a * b, a / b);
    printf("%.17g %.17g %.17g %.17g\n", c + d, c - d, c * d, c / d);
    printf("%.9g %.9g %.17g\n", tiny * 0.1f, sqrtf(b), sqrt(c));
    printf("%d %d %ld %lu %u\n", (int)b, (int)d, (long)(d * 1e10), (unsigned long)(c * 1e18), (unsigned)(c * 1e9));
    printf("%.17g %.17g %.9g\n", (double)0x7fffffffffffffffL, (double)0xffffffffffffffffUL, (float)16777217);
    volatile double nan = NAN, infinity = INFINITY;
    printf("%d%d%d%d%d%d\n", nan == nan, nan < 1, nan > 1, nan != nan, infinity > 1e308, -infinity < nan);
    printf("%d %d %d\n", fpclassify(tiny * 0.1f) == FP_SUBNORMAL, isinf(infinity) != 0, signbit(-0.0) != 0);
    printf("%.9g %.9g %.17g\n", fmaf(a, b, a), fminf(a, b), fmax(c, nan));
    return (int)(a * b * 10);
}
