// expect: verified
// expect: assertion flags: -DBUG
// expect: data-race flags: -DRACE
// Atomic operations on sixteen bytes: the library does them under a lock of its own, and others may come between any two.
#include <assert.h>
#include <pthread.h>

typedef unsigned __int128 wide;
#define TWICE(half) ((wide)(half) << 64 | (half))

static _Alignas(16) wide shared;

static int is_whole(wide value) {
    return (unsigned long)(value >> 64) == (unsigned long)value;
}

static void *body(void *none) {
    __atomic_fetch_add(&shared, TWICE(1), __ATOMIC_SEQ_CST);
    wide expected = TWICE(1);
    if (__atomic_compare_exchange_n(&shared, &expected, TWICE(5), 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        expected = TWICE(5);
    }
    assert(is_whole(expected));
#ifdef RACE
    shared = 0; // fault: data-race
#endif
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    wide seen = __atomic_load_n(&shared, __ATOMIC_SEQ_CST); // fault: data-race
    assert(is_whole(seen));
#ifdef BUG
    assert(seen != TWICE(1)); // fault: assertion
#endif
    wide before = __atomic_exchange_n(&shared, TWICE(7), __ATOMIC_SEQ_CST); // fault: data-race
    assert(before == 0 || before == TWICE(1) || before == TWICE(5));
    __atomic_fetch_xor(&shared, TWICE(7), __ATOMIC_SEQ_CST); // fault: data-race
    pthread_join(thread, NULL);
    assert(is_whole(__atomic_load_n(&shared, __ATOMIC_RELAXED)));
    __atomic_store_n(&shared, TWICE(0xf0), __ATOMIC_RELEASE);
    assert(__atomic_sub_fetch(&shared, 1, __ATOMIC_RELAXED) == TWICE(0xf0) - 1);
    assert(__atomic_fetch_and(&shared, 0xff, __ATOMIC_RELAXED) == TWICE(0xf0) - 1);
    assert(__atomic_or_fetch(&shared, (wide)1 << 100, __ATOMIC_RELAXED) == ((wide)1 << 100 | 0xef));
    assert(__atomic_fetch_nand(&shared, 0, __ATOMIC_RELAXED) == ((wide)1 << 100 | 0xef) && shared == ~(wide)0);
    wide other = 1;
    assert(!__atomic_compare_exchange_n(&shared, &other, 2, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED) && other == shared);
    return 0;
}
