// expect: data-race
// expect: verified flags: -DRIGHT
// expect: data-race flags: -DTHRICE
//
// A thread sets a flag under a lock and accesses something behind; another does so, if the flag was set.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int flag, shared;

static void enter(int value) {
    pthread_mutex_lock(&mutex);
    flag += value;
    pthread_mutex_unlock(&mutex);
}

static void *sets(void *unused) {
#ifdef RIGHT
    shared = 1;
#endif
    enter(1);
#ifdef THRICE
    enter(1);
    enter(1);
#endif
#ifndef RIGHT
    shared = 1; // fault: data-race
#endif
    return unused;
}

static void *looks(void *unused) {
    pthread_mutex_lock(&mutex);
    int seen = flag;
    pthread_mutex_unlock(&mutex);
#ifdef THRICE
    int last = 3;
#else
    int last = 1;
#endif
    if (seen == last) {
        shared = 2; // fault: data-race
    }
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, sets, 0);
    pthread_create(&two, 0, looks, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
