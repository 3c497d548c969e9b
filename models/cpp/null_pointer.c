// expect: invalid-access
// expect: verified flags: -DFIXED
//
// A text is written to where no memory was asked for.
#include <stdlib.h>

int main(void) {
    char *pointer = NULL;
#ifdef FIXED
    pointer = malloc(1);
    if (!pointer) return 1;
#endif
    *pointer = 'x'; // fault: invalid-access
    return 0;
}
