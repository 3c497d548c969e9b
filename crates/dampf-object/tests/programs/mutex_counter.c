// expect: verified
// expect: data-race flags: -DBUG
// A counter under a mutex, and without.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *body(void *none) {
#ifdef BUG
    counter++; // fault: data-race
#else
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
#endif
    return none;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, body, NULL);
    pthread_create(&second, NULL, body, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    pthread_mutex_lock(&mutex);
    assert(counter == 2);
    pthread_mutex_unlock(&mutex);
    return 0;
}
