// expect: abort
// A program that gives up.
#include <stdlib.h>

int main(void) {
    abort(); // fault: abort
}
