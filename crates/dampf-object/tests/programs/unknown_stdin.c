// expect: unknown
// What somebody would type.
#include <stdio.h>

int main(void) {
    return getchar() == 'x';
}
