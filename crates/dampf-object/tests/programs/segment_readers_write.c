// expect: verified
// expect: data-race flags: -DBUG
// expect: verified flags: -DWRITERS
//
// Readers share a lock: what one of them writes races with what others access, unless it is its own or they are writers.
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value, looked, looks[2];

static void *reads(void *argument) {
    int own = *(int *)argument;
#ifdef WRITERS
    pthread_rwlock_wrlock(&lock);
    looked++;
#else
    pthread_rwlock_rdlock(&lock);
#endif
#ifdef BUG
    looked++; // fault: data-race
#endif
    looks[own] = value;
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void) {
    static int numbers[2] = {0, 1};
    pthread_t one, two;
    pthread_create(&one, 0, reads, &numbers[0]);
    pthread_create(&two, 0, reads, &numbers[1]);
    pthread_rwlock_wrlock(&lock);
    value = 1;
    pthread_rwlock_unlock(&lock);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return looks[0] > 1 || looks[1] > 1 || looked > 2;
}
