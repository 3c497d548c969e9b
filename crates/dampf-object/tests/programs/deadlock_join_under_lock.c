// expect: verified
// expect: deadlock flags: -DBUG
// expect: deadlock flags: -DINNER
//
// A thread is joined under a lock that it needs, in the first place or behind another one.
#include <pthread.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *works(void *unused) {
    pthread_mutex_lock(&outer);
    shared++;
    pthread_mutex_lock(&inner);
    shared++;
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, works, 0);
#ifdef INNER
    pthread_mutex_lock(&inner);
#else
    pthread_mutex_lock(&outer);
    shared++;
#endif
#if !defined(BUG) && !defined(INNER)
    pthread_mutex_unlock(&outer);
#endif
    pthread_join(thread, 0);
#ifdef INNER
    pthread_mutex_unlock(&inner);
#elif defined(BUG)
    pthread_mutex_unlock(&outer);
#endif
    return 0;
}
