// flags: -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu
// expect: verified
// expect: data-race flags: -DBUG
//
// liburcu's wait-free queue: enqueuing needs no lock, dequeuing takes turns. Two producers, one consumer that does not
// wait: order is kept for each of them. BUG writes to an element that is already in the queue.
#include "urcu_port.h"
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <urcu/wfcqueue.h>

struct item {
    int number;
    struct cds_wfcq_node node;
};

static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;
static struct item items[3];

static void put(int index) {
#ifndef BUG
    items[index].number = index + 1;
#endif
    cds_wfcq_node_init(&items[index].node);
    cds_wfcq_enqueue(&head, &tail, &items[index].node);
#ifdef BUG
    items[index].number = index + 1;
#endif
}

static void *produce(void *unused) {
    put(0);
    put(1);
    return unused;
}

int main(void) {
    cds_wfcq_init(&head, &tail);
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    put(2);
    int sum = 0, last = 0;
    for (int attempt = 0; attempt < 2; ++attempt) {
        struct cds_wfcq_node *node = __cds_wfcq_dequeue_nonblocking(&head, &tail);
        if (node != NULL && node != CDS_WFCQ_WOULDBLOCK) {
            const int number = caa_container_of(node, struct item, node)->number;
            sum += number;
            assert(number == 3 || number > last);
            last = number == 3 ? last : number;
        }
    }
    pthread_join(producer, NULL);
    for (struct cds_wfcq_node *node; (node = cds_wfcq_dequeue_blocking(&head, &tail)) != NULL;)
        sum += caa_container_of(node, struct item, node)->number;
    assert(sum == 6);
    return 0;
}
