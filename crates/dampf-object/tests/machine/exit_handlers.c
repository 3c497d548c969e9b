// What is called at the end, in which order.
#include <stdio.h>
#include <stdlib.h>

static void first(void) {
    puts("first registered, last called");
}
static void second(void) {
    puts("second");
}
__attribute__((destructor)) static void destructor(void) {
    puts("destructor");
}
__attribute__((constructor)) static void constructor(void) {
    puts("constructor");
}

int main(void) {
    atexit(first);
    atexit(second);
    puts("main");
    exit(23);
}
