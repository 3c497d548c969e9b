// The compiler's vectors, taken apart for a machine without any.
#include <stdio.h>

typedef int quad __attribute__((vector_size(16)));
typedef float reals __attribute__((vector_size(16)));

int main(void) {
    quad a = {1, 2, 3, 4}, b = {10, -20, 30, -40}, sum = a + b * 2, smaller = a < b;
    reals x = {0.5f, 1.5f, 2.5f, 3.5f}, y = x * x - 1.0f;
    int total = 0;
    for (int i = 0; i < 4; i++) {
        printf("%d %d %.3f\n", sum[i], smaller[i], (double)y[i]);
        total += sum[i];
    }
    quad shuffled = __builtin_shuffle(sum, (quad){3, 2, 1, 0});
    printf("%d %d\n", shuffled[0], shuffled[3]);
    return -total;
}
