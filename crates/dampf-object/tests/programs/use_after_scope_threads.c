// expect: verified
// expect: use-after-scope flags: -DBUG
// A thread uses a variable of its creator's, whose block may be left before.
#include <pthread.h>
#include <semaphore.h>

static sem_t ready, used;
static int *shared;

static void *use(void *unused) {
    sem_wait(&ready);
#ifdef BUG
    sem_post(&used);
    *shared = 2; // fault: use-after-scope
#else
    *shared = 2;
    sem_post(&used);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&ready, 0, 0);
    sem_init(&used, 0, 0);
    pthread_create(&thread, 0, use, 0);
    {
        int number = 1;
        shared = &number;
        sem_post(&ready);
        sem_wait(&used);
    }
    pthread_join(thread, 0);
    return 0;
}
