// expect: verified
// Allocation with an alignment.
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <malloc.h>

int main(void) {
    void *first = aligned_alloc(64, 128), *second = NULL;
    assert(first && (uintptr_t)first % 64 == 0);
    assert(posix_memalign(&second, 256, 10) == 0 && (uintptr_t)second % 256 == 0);
    assert(posix_memalign(&second, 3, 10) == EINVAL);
    ((char *)second)[9] = 1;
    void *third = memalign(32, 1);
    assert((uintptr_t)third % 32 == 0);
    free(first);
    free(second);
    free(third);
    return 0;
}
