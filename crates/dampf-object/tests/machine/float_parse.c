// Numbers from text.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    static const char *const texts[] = {"1.5", "  -2.25e3rest", "0x1.8p3", "inf", "nothing", "1e400", "1e-400", ".5", "123456789012345678901234567890"};
    int used = 0;
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *end;
        errno = 0;
        double number = strtod(texts[i], &end);
        printf("%.17g %.9g %s %d\n", number, strtof(texts[i], NULL), end, errno == ERANGE);
        used += (int)(end - texts[i]);
    }
    return used;
}
