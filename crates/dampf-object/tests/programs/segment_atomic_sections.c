// expect: verified
// expect: data-race flags: -DBEFORE
// expect: data-race flags: -DBEHIND
// expect: verified flags: -DLOCKED
//
// An atomic section and plain accesses of others: before and behind their own sections, and ordered by a mutex.
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared, other, is_done;

static void __VERIFIER_atomic_adds(void) {
    shared++; // fault: data-race
    other++;
}

static void *sections(void *unused) {
    __VERIFIER_atomic_adds();
    pthread_mutex_lock(&mutex);
    is_done = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *plain(void *unused) {
#ifdef BEFORE
    shared = 7; // fault: data-race
#endif
    __VERIFIER_atomic_begin();
    other = shared;
    __VERIFIER_atomic_end();
#ifdef BEHIND
    shared = 7; // fault: data-race
#endif
#ifdef LOCKED
    pthread_mutex_lock(&mutex);
    int seen = is_done;
    pthread_mutex_unlock(&mutex);
    if (seen) {
        shared = 7;
    }
#endif
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, sections, 0);
    pthread_create(&two, 0, plain, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return shared + other == 0;
}
