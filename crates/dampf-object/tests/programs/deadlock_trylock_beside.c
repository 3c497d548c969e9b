// expect: deadlock
// expect: verified flags: -DRIGHT
//
// A thread that only tries does not help two others out of their circle; it keeps its own lock meanwhile.
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *forwards(void *unused) {
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second);
    shared++;
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    return unused;
}

static void *backwards(void *unused) {
    pthread_mutex_lock(&second);
#ifdef RIGHT
    if (pthread_mutex_trylock(&first) == 0) {
        shared++;
        pthread_mutex_unlock(&first);
    }
#else
    pthread_mutex_lock(&first);
    shared++;
    pthread_mutex_unlock(&first);
#endif
    pthread_mutex_unlock(&second);
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, forwards, 0);
    pthread_create(&two, 0, backwards, 0);
    if (pthread_mutex_trylock(&first) == 0) {
        pthread_mutex_unlock(&first);
    }
    pthread_join(one, 0);
    pthread_join(two, 0);
    return shared > 2;
}
