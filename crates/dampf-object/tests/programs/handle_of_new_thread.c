// expect: verified
// expect: data-race flags: -DBUG
// A new thread finds its handle where its creator wanted it; a third one has to be told.
#include <pthread.h>

static pthread_t first, second;
static int same;

static void *looks(void *unused) {
    same = pthread_equal(second, pthread_self());
    return unused;
}

static void *looks_elsewhere(void *unused) {
#ifdef BUG
    if (second == 0) return 0; // fault: data-race
#endif
    return unused;
}

int main(void) {
    pthread_create(&first, 0, looks_elsewhere, 0);
    pthread_create(&second, 0, looks, 0); // fault: data-race
    pthread_join(second, 0);
    pthread_join(first, 0);
    return !same;
}
