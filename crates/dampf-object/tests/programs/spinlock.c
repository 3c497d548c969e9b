// expect: verified
// expect: deadlock flags: -DBUG
// A spin lock excludes as a mutex does, and waiting for oneself is a deadlock too.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int counter;

static void *body(void *none) {
    pthread_spin_lock(&lock);
    counter++;
    pthread_spin_unlock(&lock);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&thread, NULL, body, NULL);
    pthread_spin_lock(&lock);
    counter++;
    assert(pthread_spin_trylock(&lock) == EBUSY);
#ifdef BUG
    pthread_spin_lock(&lock);
#endif
    pthread_spin_unlock(&lock);
    pthread_join(thread, NULL);
    assert(counter == 2);
    pthread_spin_destroy(&lock);
    return 0;
}
