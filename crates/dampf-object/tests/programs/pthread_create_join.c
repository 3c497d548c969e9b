// expect: verified
// A thread gets its argument, and its value arrives at whoever waits for it.
#include <assert.h>
#include <pthread.h>

static void *successor(void *number) {
    *(int *)number += 1;
    return number;
}

int main(void) {
    pthread_t thread;
    int number = 41;
    void *result;
    assert(pthread_create(&thread, NULL, successor, &number) == 0);
    assert(pthread_join(thread, &result) == 0);
    assert(result == &number && number == 42);
    return 0;
}
