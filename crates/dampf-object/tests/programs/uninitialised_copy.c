// expect: verified options: --uninitialised
// Copying what was never written is no use of it: padding travels with a structure.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct padded {
    char tag;
    long value;
};

int main(void) {
    struct padded *first = malloc(sizeof *first), *second = malloc(sizeof *second);
    first->tag = 't';
    first->value = 5;
    memcpy(second, first, sizeof *second);
    assert(second->tag == 't' && second->value == 5);
    free(first);
    free(second);
    return 0;
}
