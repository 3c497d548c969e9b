// expect: data-race
// expect: verified flags: -DATOMIC
//
// Both write the same value: a race all the same.
#include <pthread.h>
#include <stdatomic.h>

#ifdef ATOMIC
static atomic_int done;
#else
static int done;
#endif

static void *writes(void *unused) {
    done = 1; // fault: data-race
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, writes, 0);
    pthread_create(&two, 0, writes, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return done != 1;
}
