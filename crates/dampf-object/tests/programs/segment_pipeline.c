// expect: verified
// expect: data-race flags: -DBUG
//
// A block is written thousands of times, handed over, and written as often there.
#include <pthread.h>
#include <semaphore.h>

enum { TIMES = 3000 };
static sem_t full;
static struct {
    long sum;
    int numbers[8];
} block;

static void work(void) {
    for (int time = 0; time < TIMES; time++) {
        block.numbers[time % 8] += time; // fault: data-race
        block.sum += time; // fault: data-race
    }
}

static void *produces(void *unused) {
    work();
    sem_post(&full);
#ifdef BUG
    work();
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&full, 0, 0);
    pthread_create(&thread, 0, produces, 0);
    sem_wait(&full);
    work();
    pthread_join(thread, 0);
    return block.sum != (long)TIMES * (TIMES - 1);
}
