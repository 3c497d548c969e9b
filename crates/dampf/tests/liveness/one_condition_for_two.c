// expect: deadlock flags: -DSIGNALS
// expect: livelock flags: -DSIGNALS -DHEART options: --starvation
// expect: livelock flags: -DSIGNALS -DHEART options: --livelock
// expect: verified
// expect: verified flags: -DHEART options: --starvation
// expect: verified flags: -DHEART options: --livelock
//
// Two threads wait on the same condition variable for different things. A signal wakes either of them, whoever came
// first: where it wakes the one that it is not meant for, the other waits for ever. A broadcast wakes both.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int values[2];
static atomic_int is_over;

static void set(int which) {
    pthread_mutex_lock(&lock);
    values[which] = 1;
#ifdef SIGNALS
    pthread_cond_signal(&changed);
#else
    pthread_cond_broadcast(&changed);
#endif
    pthread_mutex_unlock(&lock);
}

static void *waits(void *which) {
    pthread_mutex_lock(&lock);
    while (!values[*(int *)which]) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *beats(void *unused) {
    while (!is_over) {
    }
    return unused;
}

int main(void) {
    static int numbers[2] = {0, 1};
    pthread_t threads[2], heart;
#ifdef HEART
    pthread_create(&heart, 0, beats, 0);
#endif
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, waits, &numbers[i]);
    set(0);
    set(1);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    is_over = 1;
#ifdef HEART
    pthread_join(heart, 0);
#endif
    (void)heart, (void)beats;
}
