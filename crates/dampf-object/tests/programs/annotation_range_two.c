// expect: assertion
// Two choices are independent of each other.
#include <dampf.h>

int main(void) {
    int first;
    short second;
    RANGE(first, 1, 5);
    RANGE(second, 1, 5);
    VASSERT(first * second != 12); // fault: assertion
    return 0;
}
