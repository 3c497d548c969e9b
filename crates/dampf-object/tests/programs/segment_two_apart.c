// expect: verified
// expect: data-race flags: -DBUG
//
// The race shows only two critical sections later: the first thread's flag says to the second, and the second's to the
// third, that something was written. The write comes before the first section, or behind it.
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int told, passed_on, shared;

static void *tells(void *unused) {
#ifndef BUG
    shared = 1;
#endif
    pthread_mutex_lock(&first);
    told = 1;
    pthread_mutex_unlock(&first);
#ifdef BUG
    shared = 1; // fault: data-race
#endif
    return unused;
}

static void *passes_on(void *unused) {
    pthread_mutex_lock(&first);
    int seen = told;
    pthread_mutex_unlock(&first);
    pthread_mutex_lock(&second);
    passed_on = seen;
    pthread_mutex_unlock(&second);
    return unused;
}

static void *reads(void *unused) {
    pthread_mutex_lock(&second);
    int seen = passed_on;
    pthread_mutex_unlock(&second);
    return seen && shared == 0 ? &shared : unused; // fault: data-race
}

int main(void) {
    void *(*bodies[])(void *) = {tells, passes_on, reads};
    pthread_t threads[3];
    void *result = 0;
    for (int number = 0; number < 3; number++) {
        pthread_create(&threads[number], 0, bodies[number], 0);
    }
    for (int number = 0; number < 3; number++) {
        pthread_join(threads[number], &result);
    }
    return result != 0;
}
