// expect: verified
// expect: assertion flags: -DBUG
// Alignments that are none.
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int main(void) {
    volatile size_t three = 3;
    void *block = aligned_alloc(three, 12); // gives nothing
#ifdef BUG
    assert(block); // fault: assertion
#endif
    assert(!block && errno == EINVAL);
    assert(posix_memalign(&block, three, 12) == EINVAL && posix_memalign(&block, 4, 12) == EINVAL);
    return 0;
}
