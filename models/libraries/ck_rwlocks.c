// flags: -idirafter /usr/include
// expect: verified flags: -DPFLOCK
// expect: verified flags: -DTFLOCK
// expect: verified flags: -DSWLOCK
// expect: verified flags: -DLATCH
// expect: verified flags: -DBYTELOCK options: --no-races
// expect: verified flags: -DBRLOCK
// expect: data-race flags: -DPFLOCK -DBUG
// expect: assertion flags: -DBYTELOCK -DBUG options: --no-races
//
// Further read-write locks of Concurrency Kit: phase-fair, task-fair, for a single writer (with and without a latch), with
// a byte for each reader, which the writer looks at eight at a time, and for many readers. One thread writes twice, two
// read once. BUG has readers that unlock before they have read all.
//
// Atomic operations of several sizes on the same memory are none that C knows of, and with fences around them they do not
// order plain accesses: the lock with bytes is checked without races.
#include "ck_port.h"
#include <assert.h>
#include <ck_brlock.h>
#include <ck_bytelock.h>
#include <ck_pflock.h>
#include <ck_swlock.h>
#include <ck_tflock.h>
#include <pthread.h>
#include <stddef.h>

#if defined(PFLOCK)
static ck_pflock_t lock = CK_PFLOCK_INITIALIZER;
#define WRITE_LOCK() ck_pflock_write_lock(&lock)
#define WRITE_UNLOCK() ck_pflock_write_unlock(&lock)
#define READ_LOCK(READER) ck_pflock_read_lock(&lock)
#define READ_UNLOCK(READER) ck_pflock_read_unlock(&lock)
#elif defined(TFLOCK)
static ck_tflock_ticket_t lock = CK_TFLOCK_TICKET_INITIALIZER;
#define WRITE_LOCK() ck_tflock_ticket_write_lock(&lock)
#define WRITE_UNLOCK() ck_tflock_ticket_write_unlock(&lock)
#define READ_LOCK(READER) ck_tflock_ticket_read_lock(&lock)
#define READ_UNLOCK(READER) ck_tflock_ticket_read_unlock(&lock)
#elif defined(SWLOCK) || defined(LATCH)
static ck_swlock_t lock = CK_SWLOCK_INITIALIZER;
#ifdef LATCH
#define WRITE_LOCK() ck_swlock_write_latch(&lock)
#define WRITE_UNLOCK() ck_swlock_write_unlatch(&lock)
#else
#define WRITE_LOCK() ck_swlock_write_lock(&lock)
#define WRITE_UNLOCK() ck_swlock_write_unlock(&lock)
#endif
#define READ_LOCK(READER) ck_swlock_read_lock(&lock)
#define READ_UNLOCK(READER) ck_swlock_read_unlock(&lock)
#elif defined(BYTELOCK)
static ck_bytelock_t lock = CK_BYTELOCK_INITIALIZER;
#define WRITE_LOCK() ck_bytelock_write_lock(&lock, 1)
#define WRITE_UNLOCK() ck_bytelock_write_unlock(&lock)
#define READ_LOCK(READER) ck_bytelock_read_lock(&lock, (READER) + 2)
#define READ_UNLOCK(READER) ck_bytelock_read_unlock(&lock, (READER) + 2)
#elif defined(BRLOCK)
static ck_brlock_t lock = CK_BRLOCK_INITIALIZER;
static ck_brlock_reader_t readers[2];
#define WRITE_LOCK() ck_brlock_write_lock(&lock)
#define WRITE_UNLOCK() ck_brlock_write_unlock(&lock)
#define READ_LOCK(READER) ck_brlock_read_lock(&lock, &readers[READER])
#define READ_UNLOCK(READER) ck_brlock_read_unlock(&readers[READER])
#endif

static int left, right;

static void *read_both(void *number) {
    const int reader = *(int *)number;
    READ_LOCK(reader);
    int seen = left;
#ifdef BUG
    READ_UNLOCK(reader);
#endif
    assert(seen == right);
#ifndef BUG
    READ_UNLOCK(reader);
#endif
    (void)reader;
    return NULL;
}

int main(void) {
    static int numbers[2] = {0, 1};
#ifdef BRLOCK
    ck_brlock_read_register(&lock, &readers[0]);
    ck_brlock_read_register(&lock, &readers[1]);
#endif
    pthread_t first, second;
    pthread_create(&first, NULL, read_both, &numbers[0]);
    pthread_create(&second, NULL, read_both, &numbers[1]);
    for (int round = 0; round < 2; ++round) {
        WRITE_LOCK();
        ++left;
        ++right;
        WRITE_UNLOCK();
    }
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(left == 2 && right == 2);
    return 0;
}
