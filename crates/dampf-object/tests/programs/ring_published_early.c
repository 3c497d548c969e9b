// expect: assertion flags: -DBUG
// expect: verified
// A ring of two slots for one producer and one consumer; with BUG, a slot is published before it is filled.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 2

struct slot {
    atomic_int id;
    int weight;
};

static struct ring {
    atomic_uint head, tail;
    struct slot slots[SIZE];
} ring;

static void put(int id) {
    unsigned tail = atomic_load(&ring.tail);
#ifdef BUG
    atomic_store(&ring.tail, tail + 1);
    atomic_store(&ring.slots[tail % SIZE].id, id);
#else
    atomic_store(&ring.slots[tail % SIZE].id, id);
    atomic_store(&ring.tail, tail + 1);
#endif
}

static void *consumer(void *none) {
    unsigned head = atomic_load(&ring.head);
    if (head == atomic_load(&ring.tail)) return none;
    int id = atomic_load(&ring.slots[head % SIZE].id);
    assert(id != 0);  // fault: assertion
    atomic_store(&ring.head, head + 1);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, consumer, NULL);
    put(3);
    pthread_join(thread, NULL);
    return 0;
}
