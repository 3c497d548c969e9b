// flags: -idirafter /usr/include
// expect: verified
// expect: assertion flags: -DBUG
//
// Concurrency Kit's bitmap: two threads set bits of one word, of which none is lost, and one of them is the first to set
// the one that both set. BUG asks for a bit and then sets it, in two operations.
#include "ck_port.h"
#include <assert.h>
#include <ck_bitmap.h>
#include <pthread.h>
#include <stddef.h>

static CK_BITMAP_INSTANCE(8) bits;
static int first[2];

static void *set(void *number) {
    unsigned int own = *(unsigned int *)number;
    CK_BITMAP_SET(&bits, own);
#ifdef BUG
    first[own] = !CK_BITMAP_TEST(&bits, 5);
    CK_BITMAP_SET(&bits, 5);
#else
    first[own] = !CK_BITMAP_BTS(&bits, 5);
#endif
    return NULL;
}

int main(void) {
    static unsigned int numbers[2] = {0, 1};
    CK_BITMAP_INIT(&bits, 8, false);
    pthread_t other;
    pthread_create(&other, NULL, set, &numbers[0]);
    set(&numbers[1]);
    pthread_join(other, NULL);
    assert(first[0] + first[1] == 1);
    assert(CK_BITMAP_COUNT(&bits, 8) == 3);
    return 0;
}
