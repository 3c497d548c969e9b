// expect: verified
// expect: data-race flags: -DOVERLAP
// expect: assertion flags: -DEARLY options: --no-races
// Every thread works on its part of an array; with an overlap of one element they are in each other's way.
#include <assert.h>
#include <pthread.h>

enum { THREADS = 3, PART = 40 };
static int values[THREADS * PART + 1];
static long sums[THREADS];

static void *adds(void *argument) {
    int number = *(int *)argument, count = PART;
#ifdef OVERLAP
    count++;
#endif
    for (int i = 0; i < count; i++) values[number * PART + i] += i; // fault: data-race
    long sum = 0;
    for (int i = 0; i < PART; i++) sum += values[number * PART + i]; // fault: data-race
    sums[number] = sum;
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], 0, adds, &numbers[i]);
    }
#ifdef EARLY
    assert(sums[1] == 0); // fault: assertion
#endif
    long sum = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], 0);
        sum += sums[i];
    }
    assert(sum == THREADS * PART * (PART - 1) / 2);
    return 0;
}
