// flags: -idirafter /usr/include -idirafter /usr/include/x86_64-linux-gnu
// expect: verified
// expect: data-race flags: -DBUG
//
// liburcu's lock-free stack, whose pop has to be protected from other pops: by the mutex that it brings. BUG pops without
// it and pushes again what it got.
#include "urcu_port.h"
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <urcu/lfstack.h>

static struct cds_lfs_stack stack;
static struct cds_lfs_node nodes[3];

static struct cds_lfs_node *pop(void) {
#ifdef BUG
    return __cds_lfs_pop(&stack);
#else
    return cds_lfs_pop_blocking(&stack);
#endif
}

static void *again(void *unused) {
    struct cds_lfs_node *node = pop();
    if (node != NULL)
        cds_lfs_push(&stack, node);
    return unused;
}

int main(void) {
    cds_lfs_init(&stack);
    for (int index = 0; index < 3; ++index)
        cds_lfs_push(&stack, &nodes[index]);
    pthread_t other;
    pthread_create(&other, NULL, again, NULL);
    struct cds_lfs_node *first = pop();
    struct cds_lfs_node *second = pop();
    cds_lfs_push(&stack, first);
    pthread_join(other, NULL);
    int count = 1;
    for (struct cds_lfs_node *node; (node = pop()) != NULL; ++count)
        assert(node != second);
    assert(count == 3);
    cds_lfs_destroy(&stack);
    return 0;
}
