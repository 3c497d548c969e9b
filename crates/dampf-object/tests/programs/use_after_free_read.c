// expect: use-after-free
// Reading from a block that was given back.
#include <stdlib.h>

int main(void) {
    int *volatile pointer = malloc(sizeof *pointer);
    *pointer = 1;
    free(pointer);
    return *pointer; // fault: use-after-free
}
