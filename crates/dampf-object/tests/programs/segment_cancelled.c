// expect: verified
// expect: data-race flags: -DBUG
//
// A cancelled thread's handler writes something: whoever has joined it may read that, whoever has asked may not.
#include <pthread.h>
#include <semaphore.h>

static sem_t never;
static int cleaned;

static void cleans(void *unused) {
    (void)unused;
    cleaned = 1; // fault: data-race
}

static void *waits(void *unused) {
    pthread_cleanup_push(cleans, 0);
    sem_wait(&never);
    pthread_cleanup_pop(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&never, 0, 0);
    pthread_create(&thread, 0, waits, 0);
    pthread_cancel(thread);
#ifdef BUG
    int seen = cleaned; // fault: data-race
    pthread_join(thread, 0);
#else
    pthread_join(thread, 0);
    int seen = cleaned - 1;
#endif
    return seen != 0;
}
