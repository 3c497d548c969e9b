// expect: unknown
// A second process.
#include <unistd.h>

int main(void) {
    return fork() < 0;
}
