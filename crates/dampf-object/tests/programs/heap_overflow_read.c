// expect: heap-overflow
// Reading past the end, where a larger type crosses it.
#include <stdlib.h>

int main(void) {
    char *bytes = calloc(1, 12);
    long *volatile words = (long *)bytes;
    int result = words[1] != 0; // fault: heap-overflow
    free(bytes);
    return result;
}
