// expect: property options: --ltl <>done==2 --fairness weak
// expect: verified flags: -DORDERED options: --ltl <>done==2 --fairness weak
// expect: verified options: --livelock
//
// Two threads need two locks, and take them in opposite orders. They are polite: whoever finds the second lock taken
// gives the first one back and tries again. They can do that for ever, even if both are scheduled fairly; some run ends
// from every state, though, so it is no state that is wrong. ORDERED takes both in the same order.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;

static void *work(void *is_second) {
#ifdef ORDERED
    pthread_mutex_t *first = &left, *second = &right;
    (void)is_second;
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
#else
    pthread_mutex_t *first = is_second ? &right : &left, *second = is_second ? &left : &right;
    for (;;) {
        pthread_mutex_lock(first);
        if (pthread_mutex_trylock(second) == 0) break;
        pthread_mutex_unlock(first);
    }
#endif
    done++;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, &thread);
    work(0);
    pthread_join(thread, 0);
}
