// The heap: blocks of many sizes, grown and given back in every order.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    static unsigned char *blocks[100];
    static size_t sizes[100];
    unsigned state = 5, sum = 0;
    for (int round = 0; round < 2000; round++) {
        state = state * 1664525 + 1013904223;
        unsigned which = (state >> 8) % 100;
        size_t size = (state >> 16) % 3000 + 1;
        if (blocks[which] && state & 64) {
            for (size_t i = 0; i < sizes[which]; i++) sum += blocks[which][i] == (unsigned char)which;
            free(blocks[which]);
            blocks[which] = NULL;
        } else {
            size_t old = blocks[which] ? sizes[which] : 0;
            blocks[which] = realloc(blocks[which], size);
            if (size > old) memset(blocks[which] + old, (int)which, size - old);
            sizes[which] = size;
        }
    }
    for (int i = 0; i < 100; i++) free(blocks[i]);
    printf("%u\n", sum);
    return (int)(sum % 200);
}
