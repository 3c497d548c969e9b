// expect: verified
// Threads end within functions that have arrays, by pthread_exit and by returning; others get their stacks.
#include <pthread.h>
#include <string.h>

static int leave(int *numbers, int early) {
    int more[9];
    memset(more, 1, sizeof more);
    if (early) pthread_exit(0);
    return numbers[0] + more[8];
}

static void *work(void *early) {
    int numbers[5] = {1};
    leave(numbers, early != 0);
    return 0;
}

int main(void) {
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, work, i == 0 ? &thread : 0);
        pthread_join(thread, 0);
    }
    return 0;
}
