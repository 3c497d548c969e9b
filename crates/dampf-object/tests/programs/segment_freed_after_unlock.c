// expect: verified
// expect: use-after-free flags: -DBUG
// expect: use-after-free flags: -DBUG -DREALLOC
//
// A thread finds a block under a lock and uses it behind; the other takes it away under the same lock.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int *block;

static void *uses(void *unused) {
    pthread_mutex_lock(&mutex);
    int *found = block;
#ifdef BUG
    pthread_mutex_unlock(&mutex);
    if (found) {
        *found = 3; // fault: use-after-free
    }
#else
    if (found) {
        *found = 3;
    }
    pthread_mutex_unlock(&mutex);
#endif
    return unused;
}

static void *takes(void *unused) {
    pthread_mutex_lock(&mutex);
#ifdef REALLOC
    block = realloc(block, 4096); // fault: use-after-free
#else
    free(block); // fault: use-after-free
    block = 0;
#endif
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t one, two;
    block = calloc(1, sizeof *block);
    pthread_create(&one, 0, uses, 0);
    pthread_create(&two, 0, takes, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    free(block);
    return 0;
}
