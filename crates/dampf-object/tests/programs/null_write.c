// expect: invalid-access
// The program of a dictionary's entry on segmentation faults.
#include <stddef.h>

int main(void) {
    char *volatile pointer = NULL;
    *pointer = 'x'; // fault: invalid-access
    return 0;
}
