// expect: use-after-free
// expect: invalid-access flags: -DNULL_POINTER
// A value that nobody uses is read all the same.
#include <stdlib.h>

int main(void) {
#ifdef NULL_POINTER
    int *pointer = NULL;
    int value = *pointer; // fault: invalid-access
#else
    int *pointer = malloc(sizeof *pointer);
    free(pointer);
    int value = *pointer; // fault: use-after-free
#endif
    (void)value;
    return 0;
}
