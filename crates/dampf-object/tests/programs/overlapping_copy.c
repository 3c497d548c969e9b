// expect: overlapping-copy flags: -DDISTANCE=3
// expect: overlapping-copy flags: -DDISTANCE=-3
// expect: overlapping-copy flags: -DSMALL
// expect: verified flags: -DDISTANCE=4
// expect: verified flags: -DDISTANCE=1 -DMOVE
// memcpy may copy in any order, so what it copies must not overlap; memmove is for that.
#include <string.h>

#ifndef DISTANCE
#define DISTANCE 1
#endif
#ifdef MOVE
#define COPY memmove
#elif defined(SMALL)
#define COPY(to, from, size) memcpy(to, from, 2)
#else
#define COPY memcpy
#endif

int main(void) {
    char text[12] = "abcdefghijk";
    COPY(text + 4 + DISTANCE, text + 4, 4); // fault: overlapping-copy
    return 0;
}
