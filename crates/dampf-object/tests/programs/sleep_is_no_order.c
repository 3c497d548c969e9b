// expect: assertion
// However long one sleeps, the other may be slower.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int done;

static void *body(void *none) {
    atomic_store(&done, 1);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    sleep(1);
    assert(done); // fault: assertion
    pthread_join(thread, NULL);
    return 0;
}
