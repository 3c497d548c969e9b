// flags: -DPRODUCERS=3 -DCONSUMERS=2 -DITEMS=2
// expect: verified
// expect: assertion flags: -DBUG_IF
// expect: deadlock flags: -DBUG_ONE_CONDITION
// expect: deadlock flags: -DBUG_CLOSE_WAKES_ONE
// expect: data-race flags: -DBUG_LOOKS_FIRST
//
// A queue between producers and consumers, with room for few items, that is closed when all producers are done. Seeded:
//
//  BUG_IF               once a single producer is left, a consumer looks once, not again, when it is woken
//  BUG_ONE_CONDITION    all wait at one condition variable, and a wake-up goes to one of the wrong kind
//  BUG_CLOSE_WAKES_ONE  closing wakes one consumer, not all
//  BUG_LOOKS_FIRST      a producer looks whether there is room before it has the lock, when it puts its last item in
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#ifndef PRODUCERS
#define PRODUCERS 1
#endif
#ifndef CONSUMERS
#define CONSUMERS 1
#endif
#ifndef ITEMS
#define ITEMS 1
#endif
#define CAPACITY 1

struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t has_room, has_item;
    int items[CAPACITY];
    int first, count;
    int producers;
    bool closed;
};

static struct queue queue = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .has_room = PTHREAD_COND_INITIALIZER,
    .has_item = PTHREAD_COND_INITIALIZER,
    .producers = PRODUCERS,
};

static pthread_cond_t *room(struct queue *queue) {
    return &queue->has_room;
}

static pthread_cond_t *item(struct queue *queue) {
#ifdef BUG_ONE_CONDITION
    return &queue->has_room;
#else
    return &queue->has_item;
#endif
}

static void put(struct queue *queue, int value) {
#ifdef BUG_LOOKS_FIRST
    bool is_full = value < ITEMS || queue->count == CAPACITY;
    pthread_mutex_lock(&queue->mutex);
    if (value < ITEMS) is_full = queue->count == CAPACITY;
    while (is_full) {
        pthread_cond_wait(room(queue), &queue->mutex);
        is_full = queue->count == CAPACITY;
    }
#else
    pthread_mutex_lock(&queue->mutex);
    while (queue->count == CAPACITY) pthread_cond_wait(room(queue), &queue->mutex);
#endif
    assert(queue->count < CAPACITY);
    queue->items[(queue->first + queue->count) % CAPACITY] = value;
    queue->count++;
    pthread_cond_signal(item(queue));
    pthread_mutex_unlock(&queue->mutex);
}

// Takes an item. False when there will be none any more.
static bool take(struct queue *queue, int *value) {
    pthread_mutex_lock(&queue->mutex);
#ifdef BUG_IF
    while (queue->count == 0 && queue->producers > 1) pthread_cond_wait(item(queue), &queue->mutex);
    if (queue->count == 0 && !queue->closed) pthread_cond_wait(item(queue), &queue->mutex);
    if (queue->closed && queue->count == 0) {
        pthread_mutex_unlock(&queue->mutex);
        return false;
    }
#else
    while (queue->count == 0 && !queue->closed) pthread_cond_wait(item(queue), &queue->mutex);
    if (queue->count == 0) {
        pthread_mutex_unlock(&queue->mutex);
        return false;
    }
#endif
    assert(queue->count > 0);
    *value = queue->items[queue->first];
    queue->first = (queue->first + 1) % CAPACITY;
    queue->count--;
    pthread_cond_signal(room(queue));
    pthread_mutex_unlock(&queue->mutex);
    return true;
}

// A producer is done; the last one closes the queue.
static void leave(struct queue *queue) {
    pthread_mutex_lock(&queue->mutex);
    if (--queue->producers == 0) {
        queue->closed = true;
#ifdef BUG_CLOSE_WAKES_ONE
        pthread_cond_signal(item(queue));
#else
        pthread_cond_broadcast(item(queue));
#endif
    }
    pthread_mutex_unlock(&queue->mutex);
}

static void *produce(void *argument) {
    (void)argument;
    for (int value = 1; value <= ITEMS; value++) put(&queue, value);
    leave(&queue);
    return NULL;
}

static void *consume(void *sum) {
    int value;
    while (take(&queue, &value)) *(int *)sum += value;
    return NULL;
}

int main(void) {
    pthread_t producers[PRODUCERS], consumers[CONSUMERS];
    int sums[CONSUMERS] = {0};
    for (int i = 0; i < CONSUMERS; i++) pthread_create(&consumers[i], NULL, consume, &sums[i]);
    for (int i = 0; i < PRODUCERS; i++) pthread_create(&producers[i], NULL, produce, NULL);
    int sum = 0;
    for (int i = 0; i < PRODUCERS; i++) pthread_join(producers[i], NULL);
    for (int i = 0; i < CONSUMERS; i++) {
        pthread_join(consumers[i], NULL);
        sum += sums[i];
    }
    assert(sum == PRODUCERS * ITEMS * (ITEMS + 1) / 2);
    return 0;
}
