// expect: verified
// expect: data-race flags: -DEARLY
// expect: data-race flags: -DFAILED
//
// An exchange reads what it expects before it lets others go on: the place may be theirs then. One that fails writes
// there, and lets nobody go on.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int owner;
static int expected;

static void *next(void *unused) {
#ifdef EARLY
    expected = 5; // fault: data-race
#else
    if (atomic_load(&owner) == 1) {
        expected = 5; // fault: data-race
    }
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
#ifdef FAILED
    atomic_store(&owner, 1);
#endif
    pthread_create(&thread, 0, next, 0);
    atomic_compare_exchange_strong(&owner, &expected, 1); // fault: data-race
    pthread_join(thread, 0);
    return 0;
}
