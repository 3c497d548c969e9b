// expect: invalid-free
// Freeing a local variable.
#include <stdlib.h>

int main(void) {
    int local = 0;
    void *volatile pointer = &local;
    free(pointer); // fault: invalid-free
    return local;
}
