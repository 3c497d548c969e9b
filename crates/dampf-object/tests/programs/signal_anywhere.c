// expect: assertion
// expect: verified flags: -DBLOCKED
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static volatile sig_atomic_t number;
static sem_t ready;

// Both variables are the thread's own; its handler comes between two of its instructions all the same.
static void handle(int signal) {
    number = signal;
}

static void *work(void *unused) {
    sem_post(&ready);
    number = 1;
    assert(number == 1);  // fault: assertion
    return unused;
}

int main(void) {
    sem_init(&ready, 0, 0);
    signal(SIGUSR1, handle);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_t thread;
#ifdef BLOCKED
    pthread_sigmask(SIG_BLOCK, &set, NULL);
#endif
    pthread_create(&thread, NULL, work, NULL);
    sem_wait(&ready);
    pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    return 0;
}
