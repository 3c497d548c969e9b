// expect: verified
// expect: heap-overflow flags: -DLENGTH=11
// expect: heap-overflow flags: -DSTART=-1
// Writing one byte past the end of a block, or before its start.
#include <stdlib.h>

#ifndef LENGTH
#define LENGTH 10
#endif
#ifndef START
#define START 0
#endif

int main(void) {
    char *bytes = malloc(10);
    for (volatile int i = START; i < LENGTH; i += i == START ? LENGTH - START - 1 : 1) {
        bytes[i] = 1; // fault: heap-overflow
    }
    free(bytes);
    return 0;
}
