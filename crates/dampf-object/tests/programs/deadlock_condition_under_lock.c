// expect: verified
// expect: deadlock flags: -DBUG
//
// A thread waits on a condition variable while it holds another lock, which whoever signals needs first.
#include <pthread.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *waits(void *unused) {
#ifdef BUG
    pthread_mutex_lock(&outer);
#endif
    pthread_mutex_lock(&inner);
    while (!is_ready) {
        pthread_cond_wait(&condition, &inner);
    }
    pthread_mutex_unlock(&inner);
#ifdef BUG
    pthread_mutex_unlock(&outer);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, waits, 0);
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    is_ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    pthread_join(thread, 0);
    return 0;
}
