// expect: verified flags: -DFIX
// expect: data-race
// expect: data-race flags: -DSEED
// Both threads write through a function of the library, and nothing orders them.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static char text[32];
static unsigned seed = 1;

static void *prints(void *number) {
#if defined(FIX)
    char own[32];
    unsigned mine = 2;
    rand_r(&mine);
    sprintf(own, "number %d", *(int *)number);
#elif defined(SEED)
    rand_r(&seed); // fault: data-race
#else
    sprintf(text, "number %d", *(int *)number); // fault: data-race
#endif
    return 0;
}

int main(void) {
    pthread_t threads[2];
    int numbers[2] = {1, 2};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, prints, &numbers[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    sprintf(text, "%u", seed);
    return 0;
}
