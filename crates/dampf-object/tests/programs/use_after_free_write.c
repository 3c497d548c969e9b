// expect: use-after-free
// Writing to a block that was given back.
#include <stdlib.h>

int main(void) {
    int *volatile pointer = malloc(sizeof *pointer);
    free(pointer);
    *pointer = 1; // fault: use-after-free
    return 0;
}
