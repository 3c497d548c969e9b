// Floating-point numbers in every notation.
#include <float.h>
#include <math.h>
#include <stdio.h>

int main(void) {
    static const double numbers[] = {0.0, -0.0, 1.0, -1.5, 0.1, 1.0 / 3, 1e10, 1.5e-10, 123456789.125, 1e100, 1e-300, DBL_MAX, DBL_MIN, DBL_EPSILON};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double number = numbers[i];
        printf("%f|%e|%g|%a|%.17g|%.0f|%+10.3f|%-12.2e|%012.4f\n", number, number, number, number, number, number, number, number, number);
    }
    printf("%f %f %f %F\n", (double)INFINITY, (double)-INFINITY, fabs((double)NAN), (double)INFINITY);
    printf("%Lf %Lg %La\n", 1.25L, 1e-50L, 3.0L);
    return 6;
}
