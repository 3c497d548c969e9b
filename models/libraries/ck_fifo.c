// flags: -idirafter /usr/include
// expect: verified
// expect: data-race flags: -DBUG
//
// Concurrency Kit's queue for one producer and one consumer. BUG forgets the lock among producers that the queue brings.
#include "ck_port.h"
#include <assert.h>
#include <ck_fifo.h>
#include <pthread.h>
#include <stddef.h>

static ck_fifo_spsc_t fifo;
static ck_fifo_spsc_entry_t stub, entries[3];
static int numbers[3];

static void put(int index) {
#ifndef BUG
    ck_fifo_spsc_enqueue_lock(&fifo);
#endif
    numbers[index] = index + 1;
    ck_fifo_spsc_enqueue(&fifo, &entries[index], &numbers[index]);
#ifndef BUG
    ck_fifo_spsc_enqueue_unlock(&fifo);
#endif
}

static void *produce(void *unused) {
    put(0);
    put(1);
    return unused;
}

int main(void) {
    ck_fifo_spsc_init(&fifo, &stub);
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    put(2);
    int sum = 0, last = 0;
    int *number;
    if (ck_fifo_spsc_dequeue(&fifo, &number))
        sum += *number;
    pthread_join(producer, NULL);
    while (ck_fifo_spsc_dequeue(&fifo, &number)) {
        sum += *number;
        assert(*number != 1 || last != 2);
        last = *number;
    }
    assert(sum == 6);
    return 0;
}
