// Arithmetic that says whether it fits.
#include <limits.h>
#include <stdio.h>

int main(void) {
    static const int numbers[] = {0, 1, -1, 46340, 46341, -46341, INT_MAX, INT_MIN};
    int overflows = 0;
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 8; j++) {
            int sum, difference, product;
            long wide;
            int a = __builtin_add_overflow(numbers[i], numbers[j], &sum);
            int b = __builtin_sub_overflow(numbers[i], numbers[j], &difference);
            int c = __builtin_mul_overflow(numbers[i], numbers[j], &product);
            int d = __builtin_mul_overflow((long)numbers[i] * 2147483647, (long)numbers[j], &wide);
            printf("%d:%d %d:%d %d:%d %d:%ld\n", a, sum, b, difference, c, product, d, wide);
            overflows += a + b + c + d;
        }
    }
    return overflows;
}
