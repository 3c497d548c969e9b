// flags: -DWORKERS=3 -DITEMS=4
// expect: verified
// expect: deadlock flags: -DBUG_LOCK_FIRST
// expect: assertion flags: -DBUG_SLOT_READ_LATE
// expect: deadlock flags: -DBUG_ONE_END
// expect: assertion flags: -DBUG_TICKET_LOST
//
// Items go through three stages: a source numbers them, workers square them, a sink adds them up. Between the stages are
// rings with semaphores that count their free and their filled places. Seeded:
//
//  BUG_LOCK_FIRST      whoever puts the end in takes the lock of the ring, and then waits for room
//  BUG_SLOT_READ_LATE  a place is given back before what is in it is read
//  BUG_ONE_END         the source says once that it is through, though there are several workers
//  BUG_TICKET_LOST     the workers count what they have done without a lock, and the sink relies on it
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef WORKERS
#define WORKERS 1
#endif
#ifndef ITEMS
#define ITEMS 2
#endif
#define PLACES 1
#define END (-1)

struct ring {
    int items[PLACES];
    int written, read;
    sem_t is_free, is_filled;
    pthread_mutex_t mutex;
};

static struct ring raw, squared;
static atomic_int done;

static void ring_init(struct ring *ring) {
    sem_init(&ring->is_free, 0, PLACES);
    sem_init(&ring->is_filled, 0, 0);
    pthread_mutex_init(&ring->mutex, NULL);
}

static void put(struct ring *ring, int item) {
#ifdef BUG_LOCK_FIRST
    bool locks_first = item == END;
#else
    bool locks_first = false;
#endif
    if (locks_first) pthread_mutex_lock(&ring->mutex);
    sem_wait(&ring->is_free);
    if (!locks_first) pthread_mutex_lock(&ring->mutex);
    ring->items[ring->written++ % PLACES] = item;
    pthread_mutex_unlock(&ring->mutex);
    sem_post(&ring->is_filled);
}

static int take(struct ring *ring) {
    sem_wait(&ring->is_filled);
    pthread_mutex_lock(&ring->mutex);
    int place = ring->read++ % PLACES;
#ifdef BUG_SLOT_READ_LATE
    pthread_mutex_unlock(&ring->mutex);
    sem_post(&ring->is_free);
    pthread_mutex_lock(&ring->mutex);
    int item = ring->items[place];
    pthread_mutex_unlock(&ring->mutex);
#else
    int item = ring->items[place];
    pthread_mutex_unlock(&ring->mutex);
    sem_post(&ring->is_free);
#endif
    return item;
}

static void *source(void *argument) {
    (void)argument;
    for (int i = 1; i <= ITEMS; i++) put(&raw, i);
#ifdef BUG_ONE_END
    put(&raw, END);
#else
    for (int i = 0; i < WORKERS; i++) put(&raw, END);
#endif
    return NULL;
}

static void count_done(void) {
#ifdef BUG_TICKET_LOST
    int before = atomic_load(&done);
    atomic_store(&done, before + 1);
#else
    atomic_fetch_add(&done, 1);
#endif
}

static void *work(void *argument) {
    (void)argument;
    for (int item = take(&raw); item != END; item = take(&raw)) {
        count_done();
        put(&squared, item * item);
    }
    put(&squared, END);
    return NULL;
}

static void *sink(void *argument) {
    int ends = 0, *sum = argument;
    while (ends < WORKERS) {
        int item = take(&squared);
        if (item == END) {
            ends++;
        } else {
            *sum += item;
        }
    }
    assert(atomic_load(&done) == ITEMS);
    return NULL;
}

int main(void) {
    pthread_t threads[WORKERS + 2];
    int sum = 0, expected = 0;
    ring_init(&raw);
    ring_init(&squared);
    pthread_create(&threads[WORKERS], NULL, source, NULL);
    for (int i = 0; i < WORKERS; i++) pthread_create(&threads[i], NULL, work, NULL);
    pthread_create(&threads[WORKERS + 1], NULL, sink, &sum);
    for (int i = 0; i < WORKERS + 2; i++) pthread_join(threads[i], NULL);
    for (int i = 1; i <= ITEMS; i++) expected += i * i;
    assert(sum == expected);
    return 0;
}
