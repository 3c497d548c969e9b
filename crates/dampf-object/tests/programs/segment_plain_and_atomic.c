// expect: data-race
// expect: data-race flags: -DREADS
// expect: verified flags: -DJOINED
// expect: verified flags: -DLOCKED
//
// A word that others use atomically, used plainly: a race in either order, unless a join or a lock orders the two.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int word;

static void *updates(void *unused) {
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
#endif
    __atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST); // fault: data-race
#ifdef LOCKED
    pthread_mutex_unlock(&mutex);
#endif
    return unused;
}

int main(void) {
    pthread_t one, two;
    int seen = 0;
    pthread_create(&one, 0, updates, 0);
    pthread_create(&two, 0, updates, 0);
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
    seen = word;
    pthread_mutex_unlock(&mutex);
#elif defined(READS)
    seen = word; // fault: data-race
#elif !defined(JOINED)
    word = 1; // fault: data-race
#endif
    pthread_join(one, 0);
    pthread_join(two, 0);
#ifdef JOINED
    seen = word++;
#endif
    return seen > 2;
}
