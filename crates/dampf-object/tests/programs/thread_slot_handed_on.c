// expect: assertion options: --no-races
// expect: data-race
// Who is created late by another thread may still come before the end of who was created first.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static int word;
static sem_t begin;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused) {
    word = 1; // fault: data-race
    return unused;
}

static void *late(void *unused) {
    word = 2; // fault: data-race
    return unused;
}

static void *creates(void *unused) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    sem_wait(&begin);
    pthread_create(&thread, 0, late, 0);
    pthread_join(thread, 0);
    return unused;
}

int main(void) {
    pthread_t one, two;
    sem_init(&begin, 0, 0);
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, creates, 0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    sem_post(&begin);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(word == 2); // fault: assertion
    return 0;
}
