// expect: unknown
// A file of the world outside.
#include <stdio.h>

int main(void) {
    FILE *file = fopen("/etc/hostname", "r");
    return file == NULL;
}
