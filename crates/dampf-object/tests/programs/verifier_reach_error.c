// expect: assertion
// expect: verified flags: -DFIX
// A place that no run may reach.
#include <pthread.h>
#include <stdatomic.h>
extern void reach_error(void);

static atomic_int step;

static void *body(void *none) {
    atomic_store(&step, 1);
    atomic_store(&step, 2);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
#ifdef FIX
    pthread_join(thread, NULL);
#endif
    if (atomic_load(&step) == 1) reach_error(); // fault: assertion
    return 0;
}
