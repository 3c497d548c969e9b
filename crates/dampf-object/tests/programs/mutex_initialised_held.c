// expect: verified
// expect: lock-misuse flags: -DHELD
// expect: lock-misuse flags: -DTWICE
// expect: lock-misuse flags: -DOTHER
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t locked;

static void *lock(void *unused) {
    pthread_mutex_lock(&mutex);
    sem_post(&locked);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_mutex_lock(&mutex);
#ifdef HELD
    pthread_mutex_init(&mutex, NULL);  // fault: lock-misuse
#endif
    pthread_mutex_unlock(&mutex);
    pthread_mutex_init(&mutex, NULL);
    sem_init(&locked, 0, 0);
    pthread_t thread;
    pthread_create(&thread, NULL, lock, NULL);
    sem_wait(&locked);
#ifdef OTHER
    pthread_mutex_init(&mutex, NULL);  // fault: lock-misuse
#endif
    pthread_join(thread, NULL);
    pthread_mutex_destroy(&mutex);
#ifdef TWICE
    pthread_mutex_destroy(&mutex);  // fault: lock-misuse
#endif
    return 0;
}
