// expect: assertion
// expect: verified flags: -DRESTARTED
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>

static sem_t semaphore;

static void handle(int signal) {
    (void)signal;
}

static void *wait(void *unused) {
    assert(sem_wait(&semaphore) == 0);  // fault: assertion
    return unused;
}

int main(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
#ifdef RESTARTED
    action.sa_flags = SA_RESTART;
#endif
    sigaction(SIGUSR1, &action, NULL);
    sem_init(&semaphore, 0, 0);
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    pthread_kill(thread, SIGUSR1);
    sem_post(&semaphore);
    pthread_join(thread, NULL);
    return 0;
}
