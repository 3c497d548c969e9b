// expect: invalid-free
// Freeing a global variable.
#include <stdlib.h>

static int global;

int main(void) {
    void *volatile pointer = &global;
    free(pointer); // fault: invalid-free
    return global;
}
