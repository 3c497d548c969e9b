// expect: unknown
// expect: verified flags: -DSIZE=1000000
// expect: verified flags: -DSIZE=~0UL
// More memory than is at hand here need not be more than there is elsewhere; more than any process has fails everywhere.
#include <assert.h>
#include <stdlib.h>

#ifndef SIZE
#define SIZE 1UL << 34
#endif

int main(void) {
    volatile size_t size = SIZE;
    char *block = malloc(size);
    assert((block == NULL) == (size > 1000000));
    free(block);
    return 0;
}
