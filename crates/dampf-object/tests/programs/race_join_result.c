// expect: verified
// expect: data-race flags: -DBUG
//
// The place for a thread's result is written when the thread is joined; a third thread has no business there.
#include <pthread.h>
#include <semaphore.h>

static void *result = &result;
static sem_t ready;

static void *gives(void *unused) {
    sem_post(&ready);
    return unused;
}

static void *looks(void *unused) {
    sem_wait(&ready);
#ifdef BUG
    return result == &ready ? &ready : unused; // fault: data-race
#else
    return unused;
#endif
}

int main(void) {
    pthread_t one, two;
    sem_init(&ready, 0, 0);
    pthread_create(&two, 0, looks, 0);
    pthread_create(&one, 0, gives, 0);
    pthread_join(one, &result); // fault: data-race
    pthread_join(two, 0);
    return result != 0;
}
