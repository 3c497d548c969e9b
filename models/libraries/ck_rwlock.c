// flags: -idirafter /usr/include
// expect: verified
// expect: data-race flags: -DBUG
//
// Concurrency Kit's read-write lock: a reader sees both halves of what the writer writes, or none. BUG writes with the
// lock for readers.
#include "ck_port.h"
#include <assert.h>
#include <ck_rwlock.h>
#include <pthread.h>
#include <stddef.h>

static ck_rwlock_t lock = CK_RWLOCK_INITIALIZER;
static int left, right;

static void *write_both(void *unused) {
#ifdef BUG
    ck_rwlock_read_lock(&lock);
#else
    ck_rwlock_write_lock(&lock);
#endif
    ++left;
    ++right;
#ifdef BUG
    ck_rwlock_read_unlock(&lock);
#else
    ck_rwlock_write_unlock(&lock);
#endif
    return unused;
}

static void *read_both(void *unused) {
    ck_rwlock_read_lock(&lock);
    assert(left == right);
    ck_rwlock_read_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t writer, reader;
    pthread_create(&writer, NULL, write_both, NULL);
    pthread_create(&reader, NULL, read_both, NULL);
    read_both(NULL);
    pthread_join(writer, NULL);
    pthread_join(reader, NULL);
    assert(left == 1 && right == 1);
    return 0;
}
