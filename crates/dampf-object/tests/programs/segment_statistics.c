// expect: data-race
// expect: verified flags: -DRIGHT
// expect: assertion options: --ignore data-race
// expect: assertion options: --no-races
// expect: assertion options: --ignore data-race@segment_statistics.c:18
//
// A counter that nobody cares about loses counts. Where races do not count, what comes of them does.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *counts(void *unused) {
#ifdef RIGHT
    pthread_mutex_lock(&mutex);
#endif
    counter++; // fault: data-race
#ifdef RIGHT
    pthread_mutex_unlock(&mutex);
#endif
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, counts, 0);
    pthread_create(&two, 0, counts, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(counter == 2); // fault: assertion
    return 0;
}
