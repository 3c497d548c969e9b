// expect: verified options: --livelock
// expect: verified options: --ltl <>served==2 --fairness weak
// expect: verified options: --ltl []inside<=1
// expect: verified options: --ltl [](in(critical)->inside<=1)
// expect: property options: --ltl <>served==2
// expect: livelock flags: -DLOST options: --livelock
// expect: property flags: -DLOST options: --ltl <>served==2 --fairness weak
//
// A ticket lock serves threads in the order in which they drew their tickets. LOST draws
// another one if its turn has not come, and forgets the first: that one is lost, and all behind it wait for ever.
// Without fairness a thread may simply not be scheduled.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int next_ticket, now_serving, served;
static int inside;

static void critical(void) {
    inside++;
    inside--;
    served++;
    now_serving++;
}

static void *work(void *unused) {
    int ticket = next_ticket++;
#ifdef LOST
    if (now_serving != ticket) ticket = next_ticket++;
#endif
    while (now_serving != ticket) {
    }
    critical();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
}
