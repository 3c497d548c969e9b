// expect: verified options: --uninitialised
// expect: uninitialised-read flags: -DBUG options: --uninitialised
// To store atomically into fresh memory is no read of it.
#include <stdatomic.h>
#include <stdlib.h>

int main(void) {
    _Atomic long *number = malloc(sizeof *number);
#ifndef BUG
    atomic_store(number, 7);
#endif
    long found = atomic_load(number); // fault: uninitialised-read
    free(number);
    return found == 8;
}
