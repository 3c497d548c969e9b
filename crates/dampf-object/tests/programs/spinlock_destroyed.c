// expect: verified
// expect: lock-misuse flags: -DUSED
// expect: lock-misuse flags: -DNEVER
// expect: lock-misuse flags: -DAGAIN
#include <pthread.h>

static pthread_spinlock_t lock;

int main(void) {
#ifndef NEVER
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
#endif
    pthread_spin_lock(&lock);
#ifdef AGAIN
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
#endif
    pthread_spin_unlock(&lock);
    pthread_spin_destroy(&lock);
#ifdef USED
    pthread_spin_trylock(&lock);
#endif
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    return pthread_spin_trylock(&lock);
}
