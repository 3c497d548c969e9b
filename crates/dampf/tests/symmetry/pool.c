// Workers that take jobs until there are no more, and meet at a barrier before.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static atomic_int arrived, last;
static int jobs, done, stop;

static void *work(void *unused) {
    arrived++;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) last++;
    assert(arrived == 3);
    for (;;) {
        pthread_mutex_lock(&lock);
        while (jobs == 0 && !stop) pthread_cond_wait(&changed, &lock);
        if (jobs == 0) break;
        jobs--;
        done++;
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[3];
    pthread_barrier_init(&barrier, 0, 3);
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        jobs++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    stop = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    assert(done == 3 && last == 1);
}
