// errno and its texts.
// flags: -lm
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    static const int numbers[] = {0, EPERM, ENOENT, EINVAL, ENOMEM, EDOM, ERANGE, EDEADLK, 9999};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) puts(strerror(numbers[i]));
    errno = 0;
    volatile double minus = -1.0;
    double root = sqrt(minus);
    printf("%d %d\n", root != root, errno == EDOM);
    errno = 0;
    strtol("99999999999999999999999", NULL, 10);
    return errno;
}
