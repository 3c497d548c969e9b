// expect: heap-overflow
// A copy that is longer than its destination.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char from[32] = {0};
    volatile size_t length = 20;
    char *to = malloc(16);
    memcpy(to, from, length); // fault: heap-overflow
    free(to);
    return 0;
}
