// expect: verified
// expect: assertion flags: -DBUG
// expect: verified flags: -DBUG -DNDEBUG
// The macro of the standard library.
#include <assert.h>

int main(void) {
    volatile int number = 2;
#ifdef BUG
    assert(number == 3 && "this is said"); // fault: assertion
#else
    assert(number == 2);
#endif
    return number - 2;
}
