// expect: verified
// expect: data-race flags: -DBUG
//
// A thread ends without waiting for the one that it has created: to join it says nothing about the other.
#include <pthread.h>

static pthread_t child, grandchild;
static int shared;

static void *writes(void *unused) {
    shared = 1; // fault: data-race
    return unused;
}

static void *creates(void *unused) {
    pthread_create(&grandchild, 0, writes, 0);
    return unused;
}

int main(void) {
    pthread_create(&child, 0, creates, 0);
    pthread_join(child, 0);
#ifdef BUG
    shared = 2; // fault: data-race
    pthread_join(grandchild, 0);
#else
    pthread_join(grandchild, 0);
    shared = 2;
#endif
    return shared == 0;
}
