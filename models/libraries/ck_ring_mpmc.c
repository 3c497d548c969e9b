// flags: -idirafter /usr/include
// expect: verified
// expect: verified flags: -DCONSUMER
// expect: assertion flags: -DBUG
//
// Concurrency Kit's ring for all: two producers, and then each item has come once; CONSUMER is a third
// thread, that takes out one. BUG takes it that a ring of two holds two, and does not look whether there was room:
// one place stays free.
#include "ck_port.h"
#include <assert.h>
#include <ck_ring.h>
#include <pthread.h>
#include <stddef.h>

#ifdef BUG
#define SIZE 2
#else
#define SIZE 4
#endif

static ck_ring_t ring;
static ck_ring_buffer_t buffer[SIZE];
static int numbers[2] = {1, 2};

static void *produce(void *number) {
    ck_ring_enqueue_mpmc(&ring, buffer, number);
    return NULL;
}

#ifdef CONSUMER
static int taken;

static void *consume(void *unused) {
    int *number;
    if (ck_ring_dequeue_mpmc(&ring, buffer, &number))
        taken = *number;
    return unused;
}
#endif

int main(void) {
    ck_ring_init(&ring, SIZE);
    pthread_t producer;
    pthread_create(&producer, NULL, produce, &numbers[0]);
#ifdef CONSUMER
    pthread_t consumer;
    pthread_create(&consumer, NULL, consume, NULL);
#endif
    produce(&numbers[1]);
    int *number;
    int sum = 0;
#ifndef BUG
    if (ck_ring_dequeue_mpmc(&ring, buffer, &number))
        sum += *number;
#endif
    pthread_join(producer, NULL);
#ifdef CONSUMER
    pthread_join(consumer, NULL);
    sum += taken;
#endif
    while (ck_ring_dequeue_mpmc(&ring, buffer, &number))
        sum += *number;
    assert(sum == 3); // fault: assertion
    return 0;
}
