// expect: verified
// expect: assertion flags: -DBUG
#include <assert.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t seen, value, depth, greatest;

static void count(int signal) {
    assert(signal == SIGUSR1);
    seen++;
}

static void inform(int signal, siginfo_t *info, void *context) {
    assert(context != NULL && info->si_signo == signal && info->si_code == SI_QUEUE);
    value = info->si_value.sival_int;
}

// While it runs, its own signal waits; the other one, too, if its action says so.
static void nest(int signal) {
    depth++;
    if (depth > greatest) greatest = depth;
    if (signal == SIGUSR1 && seen++ == 0) {
        raise(SIGUSR1);
        raise(SIGUSR2);
    }
    depth--;
}

static double preserved(double number) {
    double before = number * 2;
    raise(SIGUSR1);
    return before + number;
}

int main(void) {
    signal(SIGUSR1, count);
    raise(SIGUSR1);
    assert(seen == 1);
    kill(getpid(), SIGUSR1);
    assert(seen == 2);
    assert(preserved(1.5) == 4.5 && seen == 3);

    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = inform;
    action.sa_flags = SA_SIGINFO | SA_RESETHAND;
    sigaction(SIGUSR2, &action, NULL);
    union sigval number = {.sival_int = 17};
    sigqueue(getpid(), SIGUSR2, number);
    assert(value == 17);
    struct sigaction after;
    sigaction(SIGUSR2, NULL, &after);
    assert(after.sa_handler == SIG_DFL);

    seen = 0;
    memset(&action, 0, sizeof action);
    action.sa_handler = nest;
    sigaction(SIGUSR2, &action, NULL);
#ifndef BUG
    sigaddset(&action.sa_mask, SIGUSR2);
#endif
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    assert(seen == 2 && depth == 0);
    assert(greatest == 1);  // fault: assertion
    return 0;
}
