// expect: verified
// expect: assertion flags: -DENABLED
// expect: assertion flags: -DASYNCHRONOUS
#include <assert.h>
#include <pthread.h>

static int first, second;

static void *work(void *unused) {
#ifndef ENABLED
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
#endif
#ifdef ASYNCHRONOUS
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
#endif
    first = 1;
#ifndef ASYNCHRONOUS
    pthread_testcancel();
#endif
    second = 1;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    pthread_testcancel();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    assert(first == second);  // fault: assertion
    return 0;
}
