// The mathematical library.
// flags: -lm
#include <math.h>
#include <stdio.h>

int main(void) {
    for (double x = -2.0; x <= 2.0; x += 0.25) {
        printf("%.12f %.12f %.12f %.12f %.12f\n", sin(x), cos(x), tan(x), exp(x), atan(x));
        printf("%.10f %.10f %.10f\n", sinh(x), cosh(x), tanh(x));
        if (x > 0) printf("%.12f %.12f %.12f %.12f\n", log(x), log10(x), log2(x), pow(x, 2.5));
        printf("%.3f %.3f %.3f %.3f %ld\n", floor(x), ceil(x), trunc(x), round(x), lrint(x));
    }
    printf("%.10f %.10f %.10f %.10f\n", hypot(3, 4), cbrt(27.0), fmod(10.5, 3), remainder(10.5, 3));
    printf("%.10f %.10f %.10f\n", tgamma(5), lgamma(10), erf(0.5));
    int exponent;
    double whole, fraction = frexp(100.0, &exponent);
    printf("%.10f %d %.10f %.3f\n", fraction, exponent, ldexp(0.75, 10), modf(3.75, &whole) + whole);
    printf("%.17g %.17g\n", nextafter(1.0, 2.0), copysign(3.0, -0.0));
    return (int)sqrt(50.0);
}
