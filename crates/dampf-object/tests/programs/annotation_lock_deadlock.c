// expect: verified
// expect: deadlock flags: -DBUG
// Two resources in one order, and in two.
#include <dampf.h>
#include <pthread.h>

static int left, right;

static void *body(void *none) {
#ifdef BUG
    VLOCK(&right);
    VLOCK(&left);
#else
    VLOCK(&left);
    VLOCK(&right);
#endif
    VUNLOCK(&left);
    VUNLOCK(&right);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    VLOCK(&left);
    VLOCK(&right);
    VUNLOCK(&right);
    VUNLOCK(&left);
    pthread_join(thread, NULL);
    return 0;
}
