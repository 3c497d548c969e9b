// expect: verified
// expect: use-after-free flags: -DBUG
//
// Memory is freed and allocated again at the same place: what is behind an old pointer is another block then.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static sem_t ready, used;
static int *volatile block;

static void *uses(void *unused) {
    sem_wait(&ready);
    int *mine = block;
#ifdef BUG
    sem_post(&used);
    *mine = 1; // fault: use-after-free
#else
    *mine = 1;
    sem_post(&used);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&ready, 0, 0);
    sem_init(&used, 0, 0);
    pthread_create(&thread, 0, uses, 0);
    block = malloc(sizeof *block);
    *block = 0;
    sem_post(&ready);
    sem_wait(&used);
    free(block); // fault: use-after-free
    int *again = malloc(sizeof *again);
    *again = 7;
    int result = *again != 7;
    pthread_join(thread, 0);
    free(again);
    return result;
}
