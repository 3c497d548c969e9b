// Threads that take turns by condition variables print in one order only.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

static void *body(void *number) {
    int own = *(int *)number;
    for (int round = 0; round < 3; round++) {
        pthread_mutex_lock(&mutex);
        while (turn % 3 != own) pthread_cond_wait(&changed, &mutex);
        printf("round %d, thread %d\n", round, own);
        turn++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    int numbers[3] = {0, 1, 2};
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, body, &numbers[i]);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    return turn;
}
