// expect: livelock options: --starvation
// expect: livelock options: --livelock
// expect: verified flags: -DCHECKED options: --livelock
// expect: verified flags: -DCHECKED options: --starvation
// expect: property options: --ltl <>is_served --fairness weak
// expect: verified flags: -DCHECKED options: --ltl <>is_served --fairness weak
//
// A consumer waits for a signal that may have come before: then it waits for ever, while the heart beats until it is
// served. CHECKED looks whether there is something to wait for, as one has to.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static int is_there;
static atomic_int is_served;

static void *consumer(void *unused) {
    pthread_mutex_lock(&lock);
#ifdef CHECKED
    while (!is_there)
#endif
        pthread_cond_wait(&arrived, &lock);
    pthread_mutex_unlock(&lock);
    is_served = 1;
    return unused;
}

static void *heart(void *unused) {
    while (!is_served) {
    }
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_create(&threads[0], 0, consumer, 0);
    pthread_create(&threads[1], 0, heart, 0);
    pthread_mutex_lock(&lock);
    is_there = 1;
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&lock);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
}
