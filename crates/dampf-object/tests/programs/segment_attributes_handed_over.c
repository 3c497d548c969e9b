// expect: verified
// expect: data-race flags: -DBUG
//
// A thread's attributes are read, and its handle is written, before it begins: both are its own to write then. Nobody
// else's.
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static pthread_attr_t attributes;
static pthread_t handle;
static sem_t done;

static void *waits(void *unused) {
#ifdef BUG
    memset(&attributes, 0, sizeof attributes); // fault: data-race
#endif
    sem_wait(&done);
    return unused;
}

static void *writes(void *unused) {
    memset(&attributes, 0, sizeof attributes); // fault: data-race
    return pthread_equal(handle, pthread_self()) ? unused : &done;
}

int main(void) {
    pthread_t waiter;
    void *result;
    sem_init(&done, 0, 0);
    pthread_attr_init(&attributes);
    pthread_create(&waiter, 0, waits, 0);
    pthread_create(&handle, &attributes, writes, 0); // fault: data-race
    pthread_join(handle, &result);
    sem_post(&done);
    pthread_join(waiter, 0);
    return result != 0;
}
