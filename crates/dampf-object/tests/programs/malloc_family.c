// expect: verified
// malloc, calloc, realloc, and what free accepts.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *text = malloc(10);
    int *zeros = calloc(3, sizeof *zeros);
    assert(text && zeros && (uintptr_t)zeros % 16 == 0);
    assert(zeros[0] == 0 && zeros[2] == 0);
    strcpy(text, "nine char");
    text = realloc(text, 100);
    assert(strcmp(text, "nine char") == 0);
    text[99] = 'x';
    free(text);
    free(zeros);
    free(NULL);
    zeros = realloc(NULL, 4);
    *zeros = 3;
    assert(*zeros == 3);
    free(zeros);
    free(malloc(0));
    volatile size_t huge = SIZE_MAX / 4;
    assert(malloc(huge) == NULL);
    assert(calloc(huge, 5) == NULL);
    return 0;
}
