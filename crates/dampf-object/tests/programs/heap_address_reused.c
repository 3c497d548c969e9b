// expect: assertion
// expect: verified flags: -DKEEP
// An allocator may hand out an address again: that a pointer is the same does not mean that nothing has happened.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic current;
static atomic_int replaced;

static void *replace(void *none) {
    int *old = current;
#ifndef KEEP
    free(old);
#endif
    int *next = malloc(sizeof *next);
    *next = 2;
    current = next;
    replaced = 1;
#ifdef KEEP
    free(old);
#endif
    return none;
}

int main(void) {
    pthread_t thread;
    int *first = malloc(sizeof *first);
    *first = 1;
    current = first;
    pthread_create(&thread, NULL, replace, NULL);
    int *seen = current;
    int before = replaced;
    int after = replaced;
    if (current == seen && seen == first && before == 0) assert(after == 0); // fault: assertion
    pthread_join(thread, NULL);
    free(current);
    return 0;
}
