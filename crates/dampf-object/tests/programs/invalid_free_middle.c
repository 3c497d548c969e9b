// expect: invalid-free
// Freeing from the middle of a block.
#include <stdlib.h>

int main(void) {
    char *volatile block = malloc(32);
    free(block + 16); // fault: invalid-free
    return 0;
}
