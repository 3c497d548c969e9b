// expect: verified
// expect: data-race flags: -DVALUE=2
// expect: deadlock flags: -DVALUE=0
// A semaphore of value one is a mutex, of two it is none, of none it is a wall.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#ifndef VALUE
#define VALUE 1
#endif

static sem_t semaphore;
static int counter;

static void *body(void *none) {
    sem_wait(&semaphore);
    counter++; // fault: data-race
    sem_post(&semaphore);
    return none;
}

int main(void) {
    pthread_t first, second;
    sem_init(&semaphore, 0, VALUE);
    pthread_create(&first, NULL, body, NULL);
    pthread_create(&second, NULL, body, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(counter == 2);
    sem_destroy(&semaphore);
    return 0;
}
