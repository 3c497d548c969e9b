// expect: verified
// expect: data-race flags: -DBUG
// Threads and mutexes of the C standard.
#include <assert.h>
#include <threads.h>

static mtx_t mutex;
static int counter;

static int body(void *step) {
#ifndef BUG
    mtx_lock(&mutex);
#endif
    counter += *(int *)step; // fault: data-race
#ifndef BUG
    mtx_unlock(&mutex);
#endif
    return 5;
}

int main(void) {
    thrd_t first, second;
    int one = 1, two = 2, status = 0;
    assert(mtx_init(&mutex, mtx_plain) == thrd_success);
    assert(thrd_create(&first, body, &one) == thrd_success);
    assert(thrd_create(&second, body, &two) == thrd_success);
    assert(thrd_join(first, &status) == thrd_success);
    assert(status == 5);
    thrd_join(second, NULL);
    assert(counter == 3);
    mtx_destroy(&mutex);
    return 0;
}
