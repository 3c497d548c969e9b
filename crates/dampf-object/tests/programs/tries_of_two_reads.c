// expect: verified flags: -DTRIES=0 states: 8
// expect: verified flags: -DTRIES=1024 states: 18
// expect: assertion flags: -DTRIES=1024 -DEARLY states: 14
// expect: assertion flags: -DTRIES=3 -DEARLY options: --reduce none
// A queue that is looked at for a while before its consumer sleeps: a look is two reads, between which others may move.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static atomic_int head, tail;
static sem_t filled;
static atomic_int slots[4];

static int try_take(int *out) {
    int first = atomic_load(&head);
    if (first == atomic_load(&tail)) return 0;
    *out = atomic_load(&slots[first % 4]);
    atomic_store(&head, first + 1);
    return 1;
}

static void *consumer(void *none) {
    int got = 0;
    for (int i = 0; i < TRIES; i++)
        if (try_take(&got)) {
            assert(got == 7); // fault: assertion
            return none;
        }
    sem_wait(&filled);
    int has_taken = try_take(&got);
    assert(has_taken && got == 7); // fault: assertion
    return none;
}

int main(void) {
    pthread_t thread;
    sem_init(&filled, 0, 0);
    pthread_create(&thread, NULL, consumer, NULL);
#ifdef EARLY
    atomic_store(&tail, 1);
    atomic_store(&slots[0], 7);
#else
    atomic_store(&slots[0], 7);
    atomic_store(&tail, 1);
#endif
    sem_post(&filled);
    pthread_join(thread, NULL);
    return 0;
}
