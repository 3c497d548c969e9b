// expect: verified
// expect: verified flags: -DSTORE=memory_order_seq_cst -DLOAD=memory_order_seq_cst
// A message behind a flag arrives whole only with release and acquire.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef STORE
#define STORE memory_order_release
#endif
#ifndef LOAD
#define LOAD memory_order_acquire
#endif

static int message;
static atomic_int sent;

static void *sender(void *none) {
    message = 42;
    atomic_store_explicit(&sent, 1, STORE);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, sender, NULL);
    if (atomic_load_explicit(&sent, LOAD)) assert(message == 42);
    pthread_join(thread, NULL);
    return 0;
}
