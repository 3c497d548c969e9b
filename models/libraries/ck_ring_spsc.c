// flags: -idirafter /usr/include
// expect: verified
// expect: data-race flags: -DBUG
//
// Concurrency Kit's ring for one producer and one consumer: order is kept, and what a pointer points to is there. BUG has
// two producers.
#include "ck_port.h"
#include <assert.h>
#include <ck_ring.h>
#include <pthread.h>
#include <stddef.h>

static ck_ring_t ring;
static ck_ring_buffer_t buffer[4];
static int numbers[2];

static void *produce(void *unused) {
    for (int index = 0; index < 2; ++index) {
        numbers[index] = index + 1;
        ck_ring_enqueue_spsc(&ring, buffer, &numbers[index]);
    }
    return unused;
}

int main(void) {
    ck_ring_init(&ring, 4);
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
#ifdef BUG
    static int other = 3;
    ck_ring_enqueue_spsc(&ring, buffer, &other);
#else
    int last = 0;
    for (int attempt = 0; attempt < 3; ++attempt) {
        int *number;
        if (ck_ring_dequeue_spsc(&ring, buffer, &number)) {
            assert(*number == last + 1);
            last = *number;
        }
    }
#endif
    pthread_join(producer, NULL);
    return 0;
}
