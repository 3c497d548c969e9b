// expect: verified flags: -DPOINT=pause()
// expect: verified flags: -DPOINT=sleep(1)
// expect: verified flags: -DPOINT=sem_wait(&never)
// expect: verified flags: -DPOINT=pthread_testcancel()
// expect: assertion flags: -DPOINT=sleep(1) -DBUG
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t never;

static void *work(void *unused) {
    (void)unused;
    for (;;) {
        POINT;
#ifdef BUG
        return NULL;
#endif
    }
}

int main(void) {
    pthread_t thread;
    void *result = NULL;
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, work, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);  // fault: assertion
    return 0;
}
