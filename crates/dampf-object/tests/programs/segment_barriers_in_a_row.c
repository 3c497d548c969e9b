// expect: verified
// expect: data-race flags: -DONE
// expect: data-race flags: -DNONE
//
// Threads write their parts, read the others', and write again: that takes a barrier before and one behind the reading.
#include <pthread.h>

static pthread_barrier_t barrier;
static int parts[2], sums[2];

static void *works(void *argument) {
    int own = *(int *)argument;
    for (int round = 0; round < 2; round++) {
        parts[own] = round; // fault: data-race
#ifndef NONE
        pthread_barrier_wait(&barrier);
#endif
        sums[own] += parts[0] + parts[1]; // fault: data-race
#ifndef ONE
        pthread_barrier_wait(&barrier);
#endif
    }
    return 0;
}

int main(void) {
    static int numbers[2] = {0, 1};
    pthread_t thread;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&thread, 0, works, &numbers[1]);
    works(&numbers[0]);
    pthread_join(thread, 0);
    return sums[0] != 2 || sums[1] != 2;
}
