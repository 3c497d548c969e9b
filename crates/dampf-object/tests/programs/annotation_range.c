// expect: verified
// expect: assertion flags: -DBUG
// A choice takes every value, the bounds included.
#include <dampf.h>

int main(void) {
    int number;
    RANGE(number, -1, 2);
    VASSERT(number >= -1 && number <= 2);
#ifdef BUG
    VASSERT(number != 2); // fault: assertion
#endif
    return 0;
}
