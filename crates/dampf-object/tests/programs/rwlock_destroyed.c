// expect: verified
// expect: lock-misuse flags: -DREAD
// expect: lock-misuse flags: -DTWICE
// expect: lock-misuse flags: -DHELD
// expect: lock-misuse flags: -DAGAIN
#include <errno.h>
#include <pthread.h>

static pthread_rwlock_t lock;  // zeros are a valid one

int main(void) {
    pthread_rwlock_wrlock(&lock);
    if (pthread_rwlock_wrlock(&lock) != EDEADLK || pthread_rwlock_rdlock(&lock) != EDEADLK) return 1;
#ifdef AGAIN
    pthread_rwlock_init(&lock, NULL);
#endif
    pthread_rwlock_unlock(&lock);
#ifdef HELD
    pthread_rwlock_rdlock(&lock);
#endif
    pthread_rwlock_destroy(&lock);
#ifdef READ
    pthread_rwlock_rdlock(&lock);
#endif
#ifdef TWICE
    pthread_rwlock_destroy(&lock);
#endif
    pthread_rwlock_init(&lock, NULL);
    return pthread_rwlock_tryrdlock(&lock);
}
