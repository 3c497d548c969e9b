// expect: verified
// expect: data-race flags: -DBUG
// Threads that are given the address of the loop's variable.
#include <pthread.h>

static void *body(void *number) {
    int own = *(int *)number; // fault: data-race
    return own < 2 ? NULL : number;
}

int main(void) {
    pthread_t threads[2];
    static int numbers[2] = {0, 1};
    int i;
    for (i = 0; i < 2; i++) { // fault: data-race
#ifdef BUG
        pthread_create(&threads[i], NULL, body, &i); // fault: data-race
#else
        pthread_create(&threads[i], NULL, body, &numbers[i]);
#endif
    }
    for (int j = 0; j < 2; j++) pthread_join(threads[j], NULL);
    return numbers[0];
}
