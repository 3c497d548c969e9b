// Buffered output on two streams, and characters of all kinds.
#include <stdio.h>

int main(void) {
    setvbuf(stdout, NULL, _IOFBF, 64);
    for (int i = 0; i < 20; i++) {
        fputs("abc", stdout);
        putchar('0' + i % 10);
        fwrite("xyz\n", 1, 4, stdout);
    }
    fflush(stdout);
    setvbuf(stdout, NULL, _IONBF, 0);
    puts("unbuffered");
    for (int c = 32; c < 127; c++) putc(c, stdout);
    putchar('\n');
    return ferror(stdout) ? 1 : 11;
}
