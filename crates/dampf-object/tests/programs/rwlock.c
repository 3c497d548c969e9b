// expect: verified
// expect: data-race flags: -DBUG
// A writer excludes readers; a writer that only reads-locks does not.
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int first_half, second_half;

static void *reader(void *none) {
    pthread_rwlock_rdlock(&lock);
    assert(first_half == second_half); // fault: data-race
    pthread_rwlock_unlock(&lock);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
#ifdef BUG
    pthread_rwlock_rdlock(&lock);
#else
    pthread_rwlock_wrlock(&lock);
#endif
    first_half = 1; // fault: data-race
    second_half = 1; // fault: data-race
    pthread_rwlock_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
