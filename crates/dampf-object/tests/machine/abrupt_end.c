// Ending without any ceremony.
#include <stdio.h>
#include <stdlib.h>

static void never(void) {
    puts("never");
}

int main(void) {
    atexit(never);
    puts("flushed by hand");
    fflush(stdout);
    printf("lost");
    _Exit(42);
}
