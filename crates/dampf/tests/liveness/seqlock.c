// expect: verified options: --livelock
// expect: property options: --ltl <>is_read --fairness weak
// expect: verified flags: -DWRITES=2 options: --ltl <>is_read --fairness weak
// expect: livelock flags: -DABANDONS -DWRITES=1 options: --livelock
//
// A sequence lock: a reader reads again where a writer was there meanwhile. A writer that writes for ever keeps the
// reader reading, though both are scheduled fairly; one that writes a few times does not. ABANDONS leaves the number
// odd, and the reader waits for a writer that has gone.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sequence, value, is_read;

static void *writer(void *unused) {
#ifdef WRITES
    for (int i = 0; i < WRITES; i++) {
#else
    while (!is_read) {
#endif
        atomic_store_explicit(&sequence, (sequence + 1) % 8, memory_order_relaxed);
        atomic_store_explicit(&value, 1 - value, memory_order_relaxed);
#ifdef ABANDONS
        if (value == 1 && !is_read) return unused;
#endif
        atomic_store_explicit(&sequence, (sequence + 1) % 8, memory_order_relaxed);
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    for (;;) {
        int before = sequence;
        if (before % 2) continue;
        int read = value;
        (void)read;
        if (sequence == before) break;
    }
    is_read = 1;
    pthread_join(thread, 0);
}
