// expect: assertion
// Whoever has set a flag under a lock may hold the lock for as long as it likes, even if setting the flag was all that it had to do.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int flag;

static void *sets(void *unused) {
    pthread_mutex_lock(&mutex);
    flag = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, sets, 0);
    while (!flag) {}
    assert(pthread_mutex_trylock(&mutex) == 0); // fault: assertion
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return 0;
}
