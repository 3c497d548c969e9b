// expect: heap-overflow
// A text without its end.
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *text = malloc(4);
    memcpy(text, "full", 4);
    size_t length = strlen(text); // fault: heap-overflow
    free(text);
    return (int)length;
}
