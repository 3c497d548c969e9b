// expect: verified
// expect: verified flags: -std=gnu89
// expect: verified flags: -O2
// expect: assertion flags: -DBUG
// The functions that compilers have for atomic operations, of both families, on variables of several widths.
#include <assert.h>
#include <pthread.h>

static int number, flag;
static char lock, set;
static long *volatile pointer;
static long target;

static void *work(void *unused) {
    int i;
    for (i = 0; i < 2; i++) {
        __sync_fetch_and_add(&number, 1);
    }
    while (!__sync_bool_compare_and_swap(&pointer, (long *)0, &target) && pointer != &target) {
    }
    if (__atomic_test_and_set(&set, __ATOMIC_ACQUIRE)) __atomic_clear(&lock, __ATOMIC_RELEASE);
    return unused;
}

int main(void) {
    pthread_t thread;
    int old;
    pthread_create(&thread, 0, work, 0);
    old = __sync_val_compare_and_swap(&flag, 0, 5);
    assert(old == 0 && flag == 5);
    assert(__sync_lock_test_and_set(&flag, 6) == 5 && __sync_or_and_fetch(&flag, 1) == 7);
    __sync_lock_release(&flag);
    __sync_sub_and_fetch(&number, 1);
    pthread_join(thread, 0);
    assert(flag == 0 && pointer == &target && set == 1);
#ifdef BUG
    assert(number == 2); // fault: assertion
#else
    assert(number == 1);
#endif
    return 0;
}
