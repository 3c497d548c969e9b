// expect: verified
// expect: deadlock flags: -DPAUSE
// expect: assertion flags: -DBUG
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static void handle(int signal) {
    handled = signal;
}

static void *receive(void *set) {
#ifdef PAUSE
    // The signal may come before: then nothing ends the pause.
    sigset_t *open = set;
    pthread_sigmask(SIG_UNBLOCK, open, NULL);
    if (!handled) pause();
#else
    int signal = 0;
    sigwait(set, &signal);
    assert(signal == SIGUSR1);
    sigset_t none;
    sigemptyset(&none);
    sigsuspend(&none);
#ifdef BUG
    assert(handled == 0);  // fault: assertion
#else
    assert(handled == SIGUSR2);
#endif
#endif
    return NULL;
}

int main(void) {
    sigset_t set, both;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    both = set;
    sigaddset(&both, SIGUSR2);
    signal(SIGUSR1, handle);
    signal(SIGUSR2, handle);
    pthread_sigmask(SIG_BLOCK, &both, NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, receive, &set);
    pthread_kill(thread, SIGUSR1);
#ifndef PAUSE
    pthread_kill(thread, SIGUSR2);
#endif
    pthread_join(thread, NULL);
    return 0;
}
