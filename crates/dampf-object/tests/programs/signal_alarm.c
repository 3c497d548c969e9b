// expect: verified
// expect: assertion flags: -DEARLY
// expect: abort flags: -DDEADLY
#include <assert.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t rung;

static void ring(int signal) {
    rung = signal;
}

int main(void) {
#ifndef DEADLY
    signal(SIGALRM, ring);
#endif
    sigset_t set, none;
    sigemptyset(&none);
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
#ifndef EARLY
    sigprocmask(SIG_BLOCK, &set, NULL);
#endif
    alarm(1);
#ifdef EARLY
    // It may have rung already.
    assert(!rung);  // fault: assertion
    alarm(0);
#else
    assert(!rung);
    while (!rung) sigsuspend(&none);
#endif
    return 0;
}
