// expect: deadlock
// expect: lock-misuse flags: -DUNLOCK
// expect: deadlock flags: -DRECURSIVE
// A thread that comes later does not hold what one before it held at its end.
#include <pthread.h>

static pthread_mutex_t mutex;

static void *takes(void *unused) {
    pthread_mutex_lock(&mutex);
    return unused;
}

static void *later(void *unused) {
#ifdef UNLOCK
    pthread_mutex_unlock(&mutex); // fault: lock-misuse
#else
    pthread_mutex_lock(&mutex);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
#ifdef RECURSIVE
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
#endif
    pthread_mutex_init(&mutex, &attributes);
    pthread_create(&thread, 0, takes, 0);
    pthread_join(thread, 0);
    pthread_create(&thread, 0, later, 0);
    pthread_join(thread, 0);
    return 0;
}
