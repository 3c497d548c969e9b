// Threads that are created one after the other, with something in between; and several batches of them.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int tickets;
static int plain;

static void *work(void *unused) {
    int *block = malloc(sizeof(int));
    *block = tickets++;
#if KIND == 0  // What the creator has read before it creates the next.
    if (*block == 0) plain = 1;
#endif
    free(block);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int batch = 0; batch < 2; batch++) {
        for (int i = 0; i < 2; i++) {
            pthread_create(&threads[i], 0, work, 0);
            if (KIND == 4) pthread_join(threads[i], 0);
            if (KIND == 0 && plain == 2) return 1;
            if (KIND == 1) tickets += 2;
        }
        for (int i = 0; i < 2 && KIND != 4; i++) pthread_join(threads[i], 0);
    }
    assert(tickets != 4 + (KIND >= 3));
}
