// expect: verified
// expect: uninitialised-read options: --uninitialised
// expect: verified flags: -DFIX options: --uninitialised
// A decision on what malloc left in a block.
#include <stdlib.h>

int main(void) {
    int *volatile block = malloc(2 * sizeof *block);
#ifdef FIX
    block[1] = 0;
#endif
    block[0] = 1;
    if (block[1] == 12345) block[0] = 2; // fault: uninitialised-read
    free(block);
    return 0;
}
