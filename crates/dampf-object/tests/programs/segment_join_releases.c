// expect: data-race
// expect: verified flags: -DORDERED
//
// The thread that joins has accessed something before. Behind the end that it waits for, a third thread may come to
// the same memory: the two accesses are not ordered by what it waited for.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int flag, shared;

static void *sets(void *unused) {
    pthread_mutex_lock(&mutex);
    flag = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *looks(void *unused) {
    pthread_mutex_lock(&mutex);
    int seen = flag;
    pthread_mutex_unlock(&mutex);
    if (seen) {
        shared = 2; // fault: data-race
    }
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&two, 0, looks, 0);
#ifdef ORDERED
    shared = 1;
    pthread_create(&one, 0, sets, 0);
#else
    pthread_create(&one, 0, sets, 0);
    shared = 1; // fault: data-race
#endif
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
