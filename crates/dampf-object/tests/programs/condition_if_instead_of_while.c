// expect: assertion
// Between the signal and the waking, a third thread takes what was promised.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void *consumer(void *none) {
    pthread_mutex_lock(&mutex);
    if (items == 0) pthread_cond_wait(&filled, &mutex);
    assert(items > 0); // fault: assertion
    items--;
    pthread_mutex_unlock(&mutex);
    return none;
}

static void *thief(void *none) {
    pthread_mutex_lock(&mutex);
    if (items > 0) items--;
    pthread_mutex_unlock(&mutex);
    return none;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, consumer, NULL);
    pthread_create(&second, NULL, thief, NULL);
    pthread_mutex_lock(&mutex);
    items++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
    pthread_join(second, NULL);
    return 0;
}
