// 128-bit arithmetic: the compiler's library functions.
#include <stdint.h>
#include <stdio.h>

typedef unsigned __int128 wide;
typedef __int128 signed_wide;

static void print(wide number) {
    char digits[48];
    char *at = digits + sizeof digits - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + (int)(number % 10));
        number /= 10;
    } while (number);
    puts(at);
}

int main(void) {
    wide factorial = 1;
    for (unsigned i = 1; i <= 33; i++) {
        factorial *= i;
        print(factorial);
    }
    signed_wide negative = -(signed_wide)(factorial / 1000003);
    print((wide)-(negative % 1000000007));
    print((wide)(-negative >> 5));
    printf("%d %d\n", negative < 0, (wide)negative > factorial);
    printf("%.10e %.10e\n", (double)factorial, (double)negative);
    print((wide)1e30);
    return (int)(factorial >> 70 & 127);
}
