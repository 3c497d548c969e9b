// expect: verified
// expect: unknown flags: -DHANDLED
// A thread says on which stack it wants handlers to run, and is told what it said before. That one runs there is not
// supported.
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

static volatile sig_atomic_t handled;

static void handle(int signal) { handled = signal; }

int main(void) {
    stack_t before, after, small = {0}, off = {0};
    stack_t own = {.ss_sp = malloc(1 << 14), .ss_size = 1 << 14};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, 0);
    raise(SIGUSR1);
    assert(handled == SIGUSR1);
    assert(sigaltstack(&own, &before) == 0 && before.ss_flags == SS_DISABLE);
    small.ss_size = 100;
    assert(sigaltstack(&small, 0) == -1 && errno == ENOMEM);
    small.ss_flags = 64;
    assert(sigaltstack(&small, 0) == -1 && errno == EINVAL);
#ifdef HANDLED
    raise(SIGUSR1);
#endif
    off.ss_flags = SS_DISABLE;
    assert(sigaltstack(&off, &after) == 0);
    assert(after.ss_sp == own.ss_sp && after.ss_size == own.ss_size && after.ss_flags == 0);
    free(own.ss_sp);
    raise(SIGUSR1);
    return 0;
}
