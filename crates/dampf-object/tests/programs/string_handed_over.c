// expect: verified
// expect: data-race flags: -DBUG
// expect: verified options: --uninitialised
// Functions for strings read whole words, beyond the end of what threads hand each other.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

static sem_t full, empty;
static char *text;

static void *writes(void *unused) {
    for (int round = 0; round < 2; round++) {
        sem_wait(&empty);
        strcpy(text, round ? "four" : "six");
        sem_post(&full);
#ifdef BUG
        if (round == 1) text[0] = 'F'; // fault: data-race
#endif
    }
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&full, 0, 0);
    sem_init(&empty, 0, 1);
    text = malloc(5);
    pthread_create(&thread, 0, writes, 0);
    size_t length = 0;
    for (int round = 0; round < 2; round++) {
        sem_wait(&full);
        length += strlen(text); // fault: data-race
        sem_post(&empty);
    }
    pthread_join(thread, 0);
    free(text);
    return length != 7;
}
