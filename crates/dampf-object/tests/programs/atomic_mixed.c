// expect: data-race
// One side is atomic, the other is not.
#include <pthread.h>
#include <stdatomic.h>

static int number;

static void *body(void *none) {
    __atomic_fetch_add(&number, 1, __ATOMIC_SEQ_CST); // fault: data-race
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    number = 5; // fault: data-race
    pthread_join(thread, NULL);
    return 0;
}
