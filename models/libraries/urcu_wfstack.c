// flags: -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu
// expect: verified
// expect: assertion flags: -DBUG
//
// liburcu's wait-free stack: both threads push and one pops all. BUG counts what was taken away in one go as one.
#include "urcu_port.h"
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <urcu/wfstack.h>

static struct __cds_wfs_stack stack;
static struct cds_wfs_node nodes[2];

static void *push(void *node) {
    cds_wfs_node_init(node);
    cds_wfs_push(&stack, node);
    return NULL;
}

static int pop_all(void) {
    int count = 0;
    struct cds_wfs_head *all = __cds_wfs_pop_all(&stack);
    if (all == NULL)
        return 0;
    for (struct cds_wfs_node *node = cds_wfs_first(all); node != NULL; node = cds_wfs_next_blocking(node)) {
        ++count;
#ifdef BUG
        break;
#endif
    }
    return count;
}

int main(void) {
    __cds_wfs_init(&stack);
    pthread_t other;
    pthread_create(&other, NULL, push, &nodes[0]);
    push(&nodes[1]);
    int count = pop_all();
    pthread_join(other, NULL);
    count += pop_all();
    assert(count == 2);
    return 0;
}
