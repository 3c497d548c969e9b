// expect: abort
// expect: abort flags: -DUNBLOCKED
// expect: abort flags: -DSIGNAL=SIGKILL
// expect: verified flags: -DIGNORED
// expect: verified flags: -DBLOCKED
// expect: verified flags: -DSIGNAL=SIGCHLD
// expect: verified flags: -DSIGNAL=0
// expect: unknown flags: -DSIGNAL=SIGSTOP
#include <signal.h>
#include <unistd.h>

#ifndef SIGNAL
#define SIGNAL SIGTERM
#endif

int main(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
#ifdef IGNORED
    signal(SIGTERM, SIG_IGN);
#endif
#if defined(BLOCKED) || defined(UNBLOCKED)
    sigprocmask(SIG_BLOCK, &set, NULL);
#endif
    kill(getpid(), SIGNAL);
#ifdef UNBLOCKED
    sigprocmask(SIG_UNBLOCK, &set, NULL);
#endif
    return 0;
}
