// expect: misaligned-access
// Atomic operations need aligned objects even where plain ones do not.
#include <stdatomic.h>

static _Alignas(8) char bytes[16];

int main(void) {
    atomic_int *volatile counter = (atomic_int *)(bytes + 2);
    atomic_fetch_add(counter, 1); // fault: misaligned-access
    return 0;
}
