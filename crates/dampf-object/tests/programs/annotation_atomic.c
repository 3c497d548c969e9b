// expect: verified
// expect: assertion flags: -DBUG
// An atomic region is one step for everybody else.
#include <dampf.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int left, right;

static void *mover(void *none) {
#ifndef BUG
    BEGINATOMIC;
#endif
    left--;
    right++;
#ifndef BUG
    ENDATOMIC;
#endif
    return none;
}

int main(void) {
    pthread_t thread;
    left = 1;
    pthread_create(&thread, NULL, mover, NULL);
    BEGINATOMIC
    VASSERT(left + right == 1); // fault: assertion
    ENDATOMIC
    pthread_join(thread, NULL);
    return 0;
}
