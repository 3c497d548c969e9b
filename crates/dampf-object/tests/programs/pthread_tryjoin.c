// expect: verified
// expect: assertion flags: -DNEVER
// expect: assertion flags: -DALWAYS
// A thread may have ended or not when one asks, whatever it did last.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int last;

static void *ends(void *unused) {
    last = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, ends, 0);
    while (!last) {}
    int result = pthread_tryjoin_np(thread, 0);
#if defined(NEVER)
    assert(result != 0); // fault: assertion
#elif defined(ALWAYS)
    assert(result == 0); // fault: assertion
#else
    assert(result == 0 || result == EBUSY);
#endif
    if (result != 0) pthread_join(thread, 0);
    return 0;
}
