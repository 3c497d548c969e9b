// expect: use-after-free
// The old pointer is dead even where the block did not move.
#include <stdlib.h>

int main(void) {
    int *volatile old = malloc(2 * sizeof *old);
    old[0] = 1;
    int *new = realloc(old, 1000 * sizeof *new);
    int value = old[0]; // fault: use-after-free
    free(new);
    return value;
}
