// expect: lock-misuse
// Unlocking a lock that nobody holds.
#include <pthread.h>

int main(void) {
    pthread_rwlock_t lock;
    pthread_rwlock_init(&lock, NULL);
    pthread_rwlock_unlock(&lock); // fault: lock-misuse
    return 0;
}
