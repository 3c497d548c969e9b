/* Programs that never end, each in its own way (KIND), in so many threads (THREADS). None is faulty; most have more states
 * than anybody can wait for. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static atomic_ulong counter;
static atomic_int flag;
static unsigned long guarded;
static _Thread_local unsigned long own;

static unsigned long scramble(unsigned long value) {
    return value * 6364136223846793005UL + 1442695040888963407UL;
}

static void *nothing(void *unused) {
    return unused;
}

static void once_more(void) {
#if KIND == 0
    /* Computes for ever, without an operation that others could notice. */
    own = scramble(own);
#elif KIND == 1
    atomic_fetch_add(&counter, 1);
#elif KIND == 2
    pthread_mutex_lock(&mutex);
    guarded++;
    pthread_mutex_unlock(&mutex);
#elif KIND == 3
    pthread_t thread;
    pthread_create(&thread, 0, nothing, 0);
    pthread_detach(thread);
#elif KIND == 4
    pthread_t thread;
    pthread_create(&thread, 0, nothing, 0);
    pthread_join(thread, 0);
    own++;
#elif KIND == 5
    /* A list that grows. */
    void **cell = malloc(sizeof *cell);
    *cell = (void *)own;
    own = (unsigned long)cell;
#elif KIND == 6
    printf("%lu\n", own++);
#elif KIND == 7
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    own += 1 + (unsigned long)time.tv_sec;
#elif KIND == 8
    usleep(10);
    own++;
#elif KIND == 9
    pthread_mutex_lock(&mutex);
    guarded++;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
#elif KIND == 10
    struct timespec time = {0, 1000};
    pthread_mutex_lock(&mutex);
    pthread_cond_timedwait(&condition, &mutex, &time);
    guarded++;
    pthread_mutex_unlock(&mutex);
#elif KIND == 11
    sem_post(&semaphore);
    sem_wait(&semaphore);
    atomic_fetch_add(&counter, 3);
#elif KIND == 12
    while (atomic_load(&flag)) sched_yield();
    own = scramble(own);
    sched_yield();
#elif KIND == 13
    /* Long steps: a megabyte is moved before anything can be noticed. */
    static _Thread_local char *buffer;
    if (!buffer) buffer = calloc(1, 1 << 20);
    memmove(buffer, buffer + 1, (1 << 20) - 1);
    atomic_fetch_add(&counter, (unsigned long)buffer[0] + 1);
#elif KIND == 14
    unsigned long seen = atomic_load(&counter);
    atomic_compare_exchange_weak(&counter, &seen, scramble(seen));
#elif KIND == 15
    char text[32];
    snprintf(text, sizeof text, "%lu", own++);
    atomic_store(&counter, strlen(text) + own);
#endif
}

static void *for_ever(void *unused) {
    for (;;) once_more();
    return unused;
}

int main(void) {
    sem_init(&semaphore, 0, 0);
    for (int number = 1; number < THREADS; number++) {
        pthread_t thread;
        pthread_create(&thread, 0, for_ever, 0);
    }
    for_ever(0);
}
