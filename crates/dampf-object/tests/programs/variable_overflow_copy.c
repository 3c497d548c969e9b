// expect: verified
// expect: variable-overflow flags: -DBUG
// A library function writes beyond the end of a local array. Reading by words beyond the end of a string is its right.
#include <string.h>

int main(void) {
    char name[5];
#ifdef BUG
    strcpy(name, "longer"); // fault: variable-overflow
#else
    strcpy(name, "four");
#endif
    return (int)strlen(name) - 4;
}
