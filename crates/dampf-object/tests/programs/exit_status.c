// expect: exit-status
// expect: verified options: --any-exit-status
// expect: verified flags: -DSUCCESS
// expect: exit-status flags: -DFROM_THREAD
//
// A program that ends with an exit status other than 0 says itself that something is wrong.
#include <pthread.h>
#include <stdlib.h>

static void *end(void *unused) {
    (void)unused;
    exit(2);
}

int main(void) {
#if defined SUCCESS
    return 0;
#elif defined FROM_THREAD
    pthread_t thread;
    pthread_create(&thread, 0, end, 0);
    pthread_join(thread, 0);
    return 0;
#else
    (void)end;
    return 3;
#endif
}
