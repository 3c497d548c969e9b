// expect: verified
// Two readers can hold the lock at the same time: each waits for the other while holding it.
#include <pthread.h>
#include <semaphore.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t arrived;

static void *reader(void *none) {
    pthread_rwlock_rdlock(&lock);
    sem_post(&arrived);
    pthread_rwlock_unlock(&lock);
    return none;
}

int main(void) {
    pthread_t thread;
    sem_init(&arrived, 0, 0);
    pthread_rwlock_rdlock(&lock);
    pthread_create(&thread, NULL, reader, NULL);
    sem_wait(&arrived);
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
