// expect: verified
// expect: data-race flags: -DBUG
//
// Items are handed over through a queue with a condition variable; the consumer owns what it took, and the producer may
// not look at it any more.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int *items[2];
static int put, taken, sum;

static void *produces(void *unused) {
    for (int number = 1; number <= 2; number++) {
        int *item = malloc(sizeof *item);
        *item = number;
        pthread_mutex_lock(&mutex);
        items[put++] = item;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&mutex);
#ifdef BUG
        sum += *item; // fault: data-race
#endif
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, produces, 0);
    for (int round = 0; round < 2; round++) {
        pthread_mutex_lock(&mutex);
        while (taken == put) {
            pthread_cond_wait(&filled, &mutex);
        }
        int *item = items[taken++];
        pthread_mutex_unlock(&mutex);
        *item += 1; // fault: data-race
#ifndef BUG
        sum += *item;
        free(item);
#endif
    }
    pthread_join(thread, 0);
    return 0;
}
