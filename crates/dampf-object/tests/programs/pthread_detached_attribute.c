// expect: verified
// expect: thread-misuse flags: -DBUG
// A thread that is created detached cannot be waited for.
#include <pthread.h>

static void *body(void *none) {
    return none;
}

int main(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &attributes, body, NULL);
    pthread_attr_destroy(&attributes);
#ifdef BUG
    pthread_join(thread, NULL); // fault: thread-misuse
#endif
    return 0;
}
