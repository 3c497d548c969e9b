// expect: data-race
// expect: verified options: --no-races
//
// A thread that computes for long is interrupted, and has to stop before its next access to what others use: a step
// that went on through it would never be seen to stand before it.
#include <pthread.h>

static unsigned sum;

static void *compute(void *unused) {
    (void)unused;
    unsigned hash = 2166136261u;
    for (int i = 0; i < 700000; i++) hash = (hash ^ (unsigned)i) * 16777619u;
    sum = hash; // fault: data-race
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, compute, 0);
    pthread_create(&two, 0, compute, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
