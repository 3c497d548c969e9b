// expect: verified
// expect: data-race flags: -DRARE
// expect: data-race flags: -DOTHER_LOCK
// expect: data-race flags: -DRECURSIVE
// expect: assertion flags: -DBROKEN
// expect: deadlock flags: -DNESTED
// expect: use-after-free flags: -DFREED
// Memory that is used under one mutex makes no steps of its own, unless somebody uses it otherwise: rarely, under
// another mutex, after the last of two releases, or by freeing it.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int first, second, sum;
static int *block;
static atomic_int stage;

static void *worker(void *argument) {
    int number = *(int *)argument;
    for (int round = 0; round < 2; round++) {
#ifdef OTHER_LOCK
        pthread_mutex_t *own = number == 2 && round == 1 ? &other : &mutex;
#else
        pthread_mutex_t *own = &mutex;
#endif
        pthread_mutex_lock(own);
        first += number; // fault: data-race
        second -= number;
        assert(first + second == 0);
        pthread_mutex_unlock(own);
    }
#ifdef RARE
    // Only if one of the others has come to its end, and not the second one.
    if (number == 1 && atomic_load(&stage) == 3) {
        sum = first; // fault: data-race
    }
    pthread_mutex_lock(&mutex);
    first = first; // fault: data-race
    pthread_mutex_unlock(&mutex);
#endif
#ifdef RECURSIVE
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    sum++; // fault: data-race
    pthread_mutex_unlock(&recursive);
    sum++; // fault: data-race
    pthread_mutex_unlock(&recursive);
    if (number == 3) {
        sum++; // fault: data-race
    }
#endif
#ifdef BROKEN
    int seen;
    pthread_mutex_lock(&mutex);
    seen = sum;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    sum = seen + 1;
    pthread_mutex_unlock(&mutex);
#endif
#ifdef NESTED
    pthread_mutex_lock(number == 1 ? &mutex : &other);
    pthread_mutex_lock(number == 1 ? &other : &mutex);
    sum++;
    pthread_mutex_unlock(&other);
    pthread_mutex_unlock(&mutex);
#endif
#ifdef FREED
    pthread_mutex_lock(&mutex);
    if (block) {
        *block += number; // fault: use-after-free
    }
    pthread_mutex_unlock(&mutex);
    if (number == 3) {
        free(block); // fault: use-after-free
        pthread_mutex_lock(&mutex);
        block = 0;
        pthread_mutex_unlock(&mutex);
    }
#endif
    int before = atomic_load(&stage);
    while (!atomic_compare_exchange_strong(&stage, &before, before * 10 + number)) {
    }
    return 0;
}

int main(void) {
    static int numbers[3] = {1, 2, 3};
    pthread_t threads[3];
    block = calloc(1, sizeof *block);
    for (int number = 0; number < 3; number++) {
        pthread_create(&threads[number], 0, worker, &numbers[number]);
    }
    for (int number = 0; number < 3; number++) {
        pthread_join(threads[number], 0);
    }
#ifdef BROKEN
    assert(sum == 3); // fault: assertion
#endif
    return first + second;
}
