// expect: unknown options: --livelock
// expect: property options: --ltl <>stopped --fairness weak
// expect: livelock flags: -DSTOPS options: --livelock
// expect: verified flags: -DSTOPS -DASKED options: --livelock
//
// A program no run of which ends is none that has lost its way to an end. One that can STOP only while nobody has looked
// has; ASKED it can stop at any time.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int asked, stopped, looked;

static void *asks(void *unused) {
    asked = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, asks, 0);
    for (;;) {
#ifdef STOPS
#ifdef ASKED
        if (asked) break;
#else
        if (asked && !looked) break;
        looked = 1;
#endif
#endif
    }
    stopped = 1;
    pthread_join(thread, 0);
}
