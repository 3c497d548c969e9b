// flags: -D_GNU_SOURCE
// expect: unknown
// expect: verified flags: -DREADERS_FIRST
#include <pthread.h>

static pthread_rwlock_t lock;

// Reads while it reads already: a writer that waits would keep it out for ever, where the lock prefers writers.
static void *read_twice(void *unused) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
#ifndef READERS_FIRST
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
    pthread_rwlock_init(&lock, &attributes);
    pthread_t thread;
    pthread_create(&thread, NULL, read_twice, NULL);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return pthread_join(thread, NULL);
}
