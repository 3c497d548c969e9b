// expect: stack-access options: --no-races
// A function returns and the next one is called before anybody else moves; between the two another thread may still look.
#include <pthread.h>
#include <semaphore.h>

static int *lent;
static sem_t begin;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t thread;

static __attribute__((noinline)) void lends(void) {
    int around[40], value[4] = {1, 1, 1, 1}, behind[40];
    around[0] = behind[0] = 0;
    lent = value;
    sem_post(&begin);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static __attribute__((noinline)) void covers(void) {
    volatile int large[256];
    (void)large;
    pthread_join(thread, 0);
}

static void *looks(void *unused) {
    sem_wait(&begin);
    int value = *lent; // fault: stack-access
    (void)value;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    volatile int local[32];
    sem_init(&begin, 0, 0);
    pthread_create(&thread, 0, looks, 0);
    lends();
    local[0] = 1;
    local[0]++;
    covers();
    return 0;
}
