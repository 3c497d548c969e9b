// expect: invalid-free
// Reallocating what was never allocated.
#include <stdlib.h>

static char global[8];

int main(void) {
    char *volatile pointer = global;
    pointer = realloc(pointer, 16); // fault: invalid-free
    return pointer == NULL;
}
