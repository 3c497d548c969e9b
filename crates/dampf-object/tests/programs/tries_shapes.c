// expect: verified flags: -DSHAPE=0 states: 9
// expect: verified flags: -DSHAPE=1 states: 9
// expect: verified flags: -DSHAPE=2 states: 9
// expect: verified flags: -DSHAPE=3 states: 9
// expect: verified flags: -DSHAPE=4 states: 9
// expect: verified flags: -DSHAPE=5 states: 9
// expect: verified flags: -DSHAPE=6 states: 9
// expect: verified flags: -DSHAPE=7 states: 14
// expect: verified flags: -DSHAPE=8 states: 5
// expect: verified flags: -DSHAPE=9 states: 11
// expect: verified flags: -DSHAPE=10 states: 12
// expect: verified flags: -DSHAPE=1 -DTRIES=2 options: --reduce none
// Loops that try a hundred times, in many shapes: each is a few states.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef TRIES
#define TRIES 100
#endif

static atomic_int ready;
static sem_t items;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void *looker(void *none) {
#if SHAPE == 0
    for (int i = 0; i < TRIES; i++) if (atomic_load(&ready)) break;
#elif SHAPE == 1
    unsigned left = TRIES;
    while (left--) if (atomic_load(&ready)) break;
#elif SHAPE == 2
    int left = TRIES;
    while (left-- > 0 && !atomic_load(&ready)) {}
#elif SHAPE == 3
    for (unsigned char i = 0; i != TRIES; ++i)
        if (atomic_load(&ready)) goto out;
out:
#elif SHAPE == 4
    int left = TRIES;
    do {
        if (atomic_load(&ready)) break;
    } while (--left);
#elif SHAPE == 5
    for (long i = 0; i < TRIES && !atomic_load(&ready); i += 2) {}
#elif SHAPE == 6
    bool done = false;
    for (int i = 0; i < TRIES && !done; i++) done = atomic_load(&ready);
#elif SHAPE == 7
    for (int i = 0; i < TRIES; i++) {
        if (pthread_mutex_trylock(&lock)) continue;
        pthread_mutex_unlock(&lock);
        break;
    }
#elif SHAPE == 8
    for (int i = 0; i < TRIES; i++) {
        pthread_mutex_lock(&lock);
        int is_there = data;
        pthread_mutex_unlock(&lock);
        if (is_there) break;
    }
#elif SHAPE == 9
    for (int i = 0; i < TRIES; i++)
        if (!sem_trywait(&items)) return none;
#elif SHAPE == 10
    for (int i = 0; i < TRIES; i++) {
        int one = 1;
        if (atomic_compare_exchange_weak(&ready, &one, 2)) break;
    }
#endif
    sem_wait(&items);
    return none;
}

int main(void) {
    pthread_t thread;
    sem_init(&items, 0, 0);
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, looker, NULL);
    data = 1;
    pthread_mutex_unlock(&lock);
    atomic_store(&ready, 1);
    sem_post(&items);
    pthread_join(thread, NULL);
    return 0;
}
