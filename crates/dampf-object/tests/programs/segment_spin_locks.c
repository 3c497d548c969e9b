// expect: verified
// expect: data-race flags: -DBUG
//
// A flag under a spin lock says that something is written; behind the lock, or before.
#include <pthread.h>

static pthread_spinlock_t lock;
static int flag, shared;

static void *tells(void *unused) {
#ifndef BUG
    shared = 1;
#endif
    pthread_spin_lock(&lock);
    flag = 1;
    pthread_spin_unlock(&lock);
#ifdef BUG
    shared = 1; // fault: data-race
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    int seen = 1;
    pthread_spin_init(&lock, 0);
    pthread_create(&thread, 0, tells, 0);
    pthread_spin_lock(&lock);
    int is_told = flag;
    pthread_spin_unlock(&lock);
    if (is_told) {
        seen = shared; // fault: data-race
    }
    pthread_join(thread, 0);
    return seen != 1;
}
