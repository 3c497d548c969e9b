// expect: privilege-violation
// Unlocking what one does not hold.
#include <dampf.h>

static int resource;

int main(void) {
    VLOCK(&resource);
    VUNLOCK(&resource);
    VUNLOCK(&resource); // fault: privilege-violation
    return 0;
}
