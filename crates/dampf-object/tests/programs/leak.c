// expect: verified
// expect: leak options: --leaks
// expect: verified flags: -DFIX options: --leaks
// A block that nobody can reach any more.
#include <stdlib.h>

static int *volatile pointer;

int main(void) {
    pointer = malloc(4); // fault: leak
#ifdef FIX
    free(pointer);
#endif
    pointer = NULL;
    return 0;
}
