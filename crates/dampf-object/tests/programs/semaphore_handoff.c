// expect: verified
// Two semaphores make two threads take turns.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t ping, pong;
static int turn;

static void *body(void *none) {
    for (int i = 0; i < 2; i++) {
        sem_wait(&ping);
        assert(turn == 0);
        turn = 1;
        sem_post(&pong);
    }
    return none;
}

int main(void) {
    pthread_t thread;
    sem_init(&ping, 0, 1);
    sem_init(&pong, 0, 0);
    pthread_create(&thread, NULL, body, NULL);
    for (int i = 0; i < 2; i++) {
        sem_wait(&pong);
        assert(turn == 1);
        turn = 0;
        sem_post(&ping);
    }
    pthread_join(thread, NULL);
    return 0;
}
