// flags: -idirafter /usr/include
// expect: verified
// expect: data-race flags: -DBUG
// expect: assertion flags: -DBUG options: --no-races
//
// Concurrency Kit's stack for unique producers, from which many pop: what is popped is not pushed again, and comes once.
// BUG pushes it again: what the other thread takes for unchanged has changed in between (ABA), and a node is lost or
// comes twice.
#include "ck_port.h"
#include <assert.h>
#include <ck_stack.h>
#include <pthread.h>
#include <stddef.h>

static ck_stack_t stack = CK_STACK_INITIALIZER;
static ck_stack_entry_t entries[3];
static ck_stack_entry_t *popped;

static void *pop(void *unused) {
    popped = ck_stack_pop_upmc(&stack);
    return unused;
}

int main(void) {
    for (int index = 0; index < 3; ++index)
        ck_stack_push_upmc(&stack, &entries[index]);
    pthread_t other;
    pthread_create(&other, NULL, pop, NULL);
    ck_stack_entry_t *first = ck_stack_pop_upmc(&stack);
    assert(first != NULL);
    int count = 0;
#ifdef BUG
    ck_stack_entry_t *second = ck_stack_pop_upmc(&stack);
    assert(second != NULL && second != first);
    ck_stack_push_upmc(&stack, first);
    count = 1;
#else
    count = 1;
#endif
    pthread_join(other, NULL);
    ++count;
    for (ck_stack_entry_t *entry; (entry = ck_stack_pop_upmc(&stack)) != NULL; ++count)
#ifdef BUG
        assert(entry != second); // fault: assertion
#else
        assert(entry != first && entry != popped);
#endif
    assert(count == 3); // fault: assertion
    return 0;
}
