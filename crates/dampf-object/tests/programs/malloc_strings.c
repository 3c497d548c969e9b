// expect: verified
// expect: heap-overflow flags: -DBUG
// Library functions that allocate, and one that writes past what was allocated.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *copy = strdup("text"), *part = strndup("longer text", 6);
    assert(strcmp(copy, "text") == 0 && strcmp(part, "longer") == 0);
#ifdef BUG
    strcpy(copy, part); // fault: heap-overflow
#endif
    free(copy);
    free(part);
    return 0;
}
