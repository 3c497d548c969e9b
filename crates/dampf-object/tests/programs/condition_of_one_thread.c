// expect: assertion
// Nobody else uses the condition variable, but the mutex that the wait gives back is everybody's.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *waits(void *unused) {
    pthread_mutex_lock(&mutex);
    for (;;) pthread_cond_wait(&condition, &mutex);
    return unused;
}

static void *tries(void *unused) {
    int result = pthread_mutex_trylock(&mutex);
    assert(result == 0); // fault: assertion
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t waiter, other;
    pthread_create(&waiter, 0, waits, 0);
    pthread_create(&other, 0, tries, 0);
    pthread_join(other, 0);
    return 0;
}
