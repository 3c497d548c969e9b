// flags: -idirafter /usr/include
// expect: verified
// expect: assertion flags: -DBUG
// expect: data-race flags: -DPLAIN
//
// Concurrency Kit's sequence lock: who read while something was written reads again. BUG does not, PLAIN reads what is
// written at the same time without atomic operations.
#include "ck_port.h"
#include <assert.h>
#include <ck_sequence.h>
#include <pthread.h>
#include <stddef.h>

static ck_sequence_t sequence = CK_SEQUENCE_INITIALIZER;
static int left, right;

static void *write_both(void *unused) {
    ck_sequence_write_begin(&sequence);
#ifdef PLAIN
    left = 1;
    right = 1;
#else
    ck_pr_store_int(&left, 1);
    ck_pr_store_int(&right, 1);
#endif
    ck_sequence_write_end(&sequence);
    return unused;
}

int main(void) {
    pthread_t writer;
    pthread_create(&writer, NULL, write_both, NULL);
    int seen_left, seen_right;
    unsigned int version;
    do {
        version = ck_sequence_read_begin(&sequence);
#ifdef PLAIN
        seen_left = left;
        seen_right = right;
#else
        seen_left = ck_pr_load_int(&left);
        seen_right = ck_pr_load_int(&right);
#endif
#ifdef BUG
    } while (0);
#else
    } while (ck_sequence_read_retry(&sequence, version));
#endif
    assert(seen_left == seen_right);
    (void)version;
    pthread_join(writer, NULL);
    return 0;
}
