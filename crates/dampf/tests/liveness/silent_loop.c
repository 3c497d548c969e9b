// expect: livelock flags: -DSPINS options: --livelock
// expect: verified options: --livelock
//
// A loop in which nothing happens that others could notice is a run all the same.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int first;

static void *races(void *unused) {
    if (atomic_exchange(&first, 1) == 0) {
#ifdef SPINS
        for (;;) {
        }
#endif
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, races, 0);
    atomic_exchange(&first, 1);
    pthread_join(thread, 0);
}
