// Every conversion of printf.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

int main(void) {
    int written = 0, total = 0;
    total += printf("%d|%5d|%-5d|%05d|%+d|% d|%.3d|%i\n", 42, 42, 42, 42, 42, 42, 42, -42);
    total += printf("%u|%x|%X|%#x|%o|%#o|%b\n", 42u, 255u, 255u, 255u, 8u, 8u, 0u);
    total += printf("%hhd|%hd|%ld|%lld|%zd|%td|%jd\n", (signed char)-1, (short)-2, -3L, -4LL, (size_t)5, (ptrdiff_t)-6, (intmax_t)7);
    total += printf("%s|%10s|%-10s|%.2s|%c|%%|%*d|%-*d|%.*f\n", "text", "right", "left", "cut", 'c', 6, 1, 6, 2, 3, 3.14159);
    total += printf("%2$s %1$s\n", "one", "two");
    total += printf("counted%n\n", &written);
    total += printf("%ls|%lc\n", L"wide", (wint_t)L'w');
    printf("%d %d\n", written, total);
    char small[8];
    const char *volatile longer = "longer than eight";
    int needed = snprintf(small, sizeof small, "%.20s", longer);
    printf("%s %d\n", small, needed);
    return total % 256;
}
