// Functions with any number of arguments, of all classes.
#include <stdarg.h>
#include <stdio.h>

struct small {
    int left, right;
};
struct large {
    long values[5];
};
struct mixed {
    double real;
    int whole;
};

static double sum(const char *kinds, ...) {
    va_list list, copy;
    double total = 0;
    va_start(list, kinds);
    va_copy(copy, list);
    for (const char *kind = kinds; *kind; kind++) {
        switch (*kind) {
        case 'i': total += va_arg(list, int); break;
        case 'l': total += (double)va_arg(list, long); break;
        case 'd': total += va_arg(list, double); break;
        case 'D': total += (double)va_arg(list, long double); break;
        case 's': total += va_arg(list, struct small).right; break;
        case 'L': total += (double)va_arg(list, struct large).values[4]; break;
        case 'm': total += va_arg(list, struct mixed).real; break;
        case 'w': total += (double)va_arg(list, __int128); break;
        }
    }
    va_end(list);
    printf("%c ", kinds[0] == 'i' ? 'i' + va_arg(copy, int) % 2 : '-');
    va_end(copy);
    return total;
}

int main(void) {
    struct small small = {1, 2};
    struct large large = {{1, 2, 3, 4, 5}};
    struct mixed mixed = {0.5, 3};
    printf("%.2f\n", sum("iiiiiiiiii", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    printf("%.2f\n", sum("ddddddddddd", 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5));
    printf("%.2f\n", sum("idlDsLmw", 1, 2.0, 3L, 4.0L, small, large, mixed, (__int128)7));
    printf("%.2f\n", sum("isLmwDi", 1, small, large, mixed, (__int128)1 << 70, 0.25L, 2));
    return (int)sum("sss", small, small, small);
}
