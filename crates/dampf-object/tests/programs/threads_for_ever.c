// expect: assertion
// flags: -pthread
// options: --no-races
//
// Creating threads is no place to switch, but a program that does nothing else must not be one step.
#include <assert.h>
#include <pthread.h>

static int within;

static void *enter(void *unused) {
    (void)unused;
    within++;
    assert(within == 1); // fault: assertion
    within--;
    return 0;
}

int main(void) {
    for (;;) {
        pthread_t thread;
        pthread_create(&thread, 0, enter, 0);
    }
}
