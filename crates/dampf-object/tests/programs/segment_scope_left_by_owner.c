// expect: verified
// expect: use-after-scope flags: -DBUG
//
// A thread reads a variable of its own and leaves the block: whoever used it before has said so. What others do
// meanwhile has nothing to do with it.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t ready, used;
static int *shared, result;
static atomic_int steps;

static void *uses(void *unused) {
    sem_wait(&ready);
#ifdef BUG
    sem_post(&used);
    *shared = 1; // fault: use-after-scope
#else
    *shared = 1;
    sem_post(&used);
#endif
    atomic_fetch_add(&steps, 1);
    atomic_fetch_add(&steps, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&ready, 0, 0);
    sem_init(&used, 0, 0);
    pthread_create(&thread, 0, uses, 0);
    {
        int number = 0;
        shared = &number;
        sem_post(&ready);
        sem_wait(&used);
#ifndef BUG
        result = number;
#endif
    }
    result++;
    atomic_fetch_add(&steps, 1);
    pthread_join(thread, 0);
    return result != 2 && result != 1;
}
