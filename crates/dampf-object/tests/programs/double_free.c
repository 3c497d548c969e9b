// expect: double-free
// Giving a block back twice.
#include <stdlib.h>

int main(void) {
    void *volatile block = malloc(8);
    free(block);
    free(block); // fault: double-free
    return 0;
}
