// expect: verified options: --livelock
// expect: livelock flags: -DFORGETS options: --livelock
// expect: property options: --ltl <>is_seen --fairness weak
//
// A thread polls what a mutex guards: a critical section is taken again and again, and nothing else happens. FORGETS
// sets what is polled only where it comes first. Without it there is a way to the end from everywhere; weakly fair runs
// need not take it, since the mutex may be taken whenever the other is scheduled.
#include <mutex>
#include <thread>

static std::mutex mutex;
static int state;
static int is_seen;

int main() {
    std::thread setter([] {
        std::lock_guard guard(mutex);
#ifdef FORGETS
        if (state == 2) return;
#endif
        state = 1;
    });
    for (;;) {
        std::lock_guard guard(mutex);
        if (state == 1) break;
        state = 2;
    }
    is_seen = 1;
    setter.join();
}
