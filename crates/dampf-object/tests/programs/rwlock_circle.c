// expect: deadlock
// expect: verified flags: -DFIX
// One who reads waits for a mutex, and who holds that waits to write; a third goes on for ever.
#include <pthread.h>
#include <sched.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *reads(void *unused) {
    pthread_rwlock_rdlock(&lock);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *writes(void *unused) {
#ifdef FIX
    pthread_rwlock_wrlock(&lock);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_unlock(&lock);
#else
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_mutex_unlock(&mutex);
#endif
    return unused;
}

static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    pthread_t reader, writer;
    pthread_create(&reader, 0, reads, 0);
    pthread_create(&writer, 0, writes, 0);
    for (;;) {
        pthread_mutex_lock(&other);
        pthread_mutex_unlock(&other);
    }
}
