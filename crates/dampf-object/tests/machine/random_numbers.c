// The library's generators, with a seed.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    srand(42);
    for (int i = 0; i < 5; i++) printf("%d ", rand());
    srandom(7);
    for (int i = 0; i < 5; i++) printf("%ld ", random());
    srand48(3);
    for (int i = 0; i < 5; i++) printf("%ld %.10f ", lrand48(), drand48());
    unsigned seed = 9;
    printf("%d\n", rand_r(&seed));
    return rand() & 63;
}
