// expect: assertion options: --no-races
// expect: unknown flags: -DRIGHT options: --no-races
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int number;

// What the first thread did before it came to something unsupported has happened.
static void *look(void *unused) {
#ifndef RIGHT
    assert(number == 0);  // fault: assertion
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
    number = 1;
    fork();
    return 0;
}
