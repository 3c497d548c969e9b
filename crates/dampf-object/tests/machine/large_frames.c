// Frames that no immediate reaches across.
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static long fill(int depth) {
    char buffer[70000];
    memset(buffer, depth, sizeof buffer);
    buffer[sizeof buffer - 1] = (char)(depth * 2);
    long below = depth > 0 ? fill(depth - 1) : 0;
    return below * 3 + buffer[0] + buffer[35000] + buffer[sizeof buffer - 1];
}

int main(void) {
    long total = fill(6);
    printf("%ld\n", total);
    return (int)(total % 256);
}
