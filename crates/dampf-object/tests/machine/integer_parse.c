// Integers from text, in every base.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    static const char *const texts[] = {"42", " -17x", "0x7f", "0755", "zz", "99999999999999999999", "-99999999999999999999", "+5", "", "2147483648"};
    static const int bases[] = {10, 0, 16, 8, 36, 2};
    int errors = 0;
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (unsigned j = 0; j < sizeof bases / sizeof *bases; j++) {
            char *end;
            errno = 0;
            long number = strtol(texts[i], &end, bases[j]);
            unsigned long large = strtoul(texts[i], NULL, bases[j]);
            printf("%ld %lu '%s' ", number, large, end);
            errors += errno == ERANGE;
        }
        printf("%lld\n", atoll(texts[i]));
    }
    return errors;
}
