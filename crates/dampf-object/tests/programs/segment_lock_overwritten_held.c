// expect: data-race
// expect: verified flags: -DRIGHT
//
// A lock is overwritten like a variable while its holder is about to release it, which nobody waits for; or behind the
// release.
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t released;

static void *overwrites(void *unused) {
#ifdef RIGHT
    sem_wait(&released);
#endif
    memset(&lock, 0, sizeof lock); // fault: data-race
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&released, 0, 0);
    pthread_mutex_lock(&lock);
    pthread_create(&thread, 0, overwrites, 0);
    pthread_mutex_unlock(&lock); // fault: data-race
    sem_post(&released);
    pthread_join(thread, 0);
    return 0;
}
