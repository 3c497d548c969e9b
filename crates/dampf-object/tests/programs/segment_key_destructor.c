// expect: verified
// expect: data-race flags: -DBUG
//
// A destructor of a thread's value runs when the thread has returned, and accesses memory like any other code.
#include <pthread.h>
#include <semaphore.h>

static pthread_key_t key;
static sem_t done;
static int destroyed;

static void destroys(void *value) { *(int *)value = 1; } // fault: data-race

static void *sets(void *unused) {
    pthread_setspecific(key, &destroyed);
    sem_post(&done);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&done, 0, 0);
    pthread_key_create(&key, destroys);
    pthread_create(&thread, 0, sets, 0);
    sem_wait(&done);
#ifdef BUG
    int seen = destroyed; // fault: data-race
    pthread_join(thread, 0);
#else
    pthread_join(thread, 0);
    int seen = destroyed - 1;
#endif
    return seen != 0;
}
