// expect: data-race
// Two threads write a variable that nobody reads.
#include <pthread.h>

static int last;

static void *write(void *unused) {
    last = 1; // fault: data-race
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int number = 0; number < 2; number++) pthread_create(&threads[number], 0, write, 0);
    for (int number = 0; number < 2; number++) pthread_join(threads[number], 0);
    return 0;
}
