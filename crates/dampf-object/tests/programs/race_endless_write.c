// expect: data-race
// expect: data-race flags: -O2
// expect: verified flags: -DOTHER
// A write in a loop that never ends is made: compilers like to write behind the loop.
#include <pthread.h>

static int number, other;

static void *write_on(void *unused) {
    while (1) number = 1; // fault: data-race
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, write_on, 0);
#ifdef OTHER
    other = 2;
#else
    number = 2; // fault: data-race
#endif
    return other == 1;
}
