// Complex numbers.
// flags: -lm
#include <complex.h>
#include <stdio.h>

int main(void) {
    double complex a = 1.0 + 2.0 * I, b = -0.5 + 0.25 * I;
    double complex results[] = {a + b, a * b, a / b, conj(a), csqrt(b), cexp(a), cpow(a, b)};
    for (int i = 0; i < 7; i++) printf("%.8f %.8f\n", creal(results[i]), cimag(results[i]));
    printf("%.8f %.8f\n", cabs(a), carg(b));
    double complex z = 0;
    int steps = 0;
    while (cabs(z) < 2 && steps < 100) {
        z = z * z + (0.26 + 0.5 * I);
        steps++;
    }
    printf("%d\n", steps);
    return steps;
}
