// expect: verified
// expect: deadlock flags: -DBUG
//
// A recursive mutex is released when it was released as often as it was taken.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, other = PTHREAD_MUTEX_INITIALIZER;
static int depth;

static void descend(int left) {
    pthread_mutex_lock(&recursive);
    depth++;
    if (left > 0) {
        descend(left - 1);
    } else if (left == 0) {
        pthread_mutex_lock(&other);
        pthread_mutex_unlock(&other);
    }
    pthread_mutex_unlock(&recursive);
}

static void *descends(void *unused) {
    descend(2);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, descends, 0);
#ifdef BUG
    pthread_mutex_lock(&other);
    descend(-1);
    pthread_mutex_unlock(&other);
#else
    descend(1);
#endif
    pthread_join(thread, 0);
    return 0;
}
