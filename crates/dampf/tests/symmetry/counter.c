// Threads that count under a lock.
#include <assert.h>
#include <pthread.h>

#ifndef WRONG
#define WRONG 0
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *count(void *unused) {
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, count, 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
    assert(counter == THREADS * ROUNDS + WRONG);
}
