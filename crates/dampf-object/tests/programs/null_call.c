// expect: invalid-access
// Calling a function that is not there.
#include <stddef.h>

typedef int (*function)(int);

int main(void) {
    function volatile callee = NULL;
    return callee(1); // fault: invalid-access
}
