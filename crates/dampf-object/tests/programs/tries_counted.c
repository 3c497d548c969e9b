// expect: assertion flags: -DFOUND=13
// expect: assertion flags: -DFOUND=0
// expect: verified flags: -DFOUND=21
// expect: assertion flags: -DSEEN=5
// expect: assertion flags: -DSEEN=0
// expect: verified flags: -DSEEN=9
// expect: assertion flags: -DLATE
// Loops that try for a while, and in which the number of tries matters: for what was found, for what was counted
// beside it, and for what is done in the last try.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;
static int result;

static void *looker(void *none) {
#if defined(FOUND)
    int i;
    for (i = 0; i < 20; i++)
        if (atomic_load(&ready)) break;
    result = i;
#elif defined(SEEN)
    int seen = 0;
    for (int i = 0; i < 8; i++)
        if (atomic_load(&ready)) seen++;
    result = seen;
#else
    /* Two values of the counter decide. */
    for (int i = 0; i < 20; i++) {
        int value = atomic_load(&ready);
        if (value == 1 && i == 5) result = 1;
        if (value == 1 && i == 10) result += 2;
        if (result) break;
    }
#endif
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, looker, NULL);
    atomic_store(&ready, 1);
    pthread_join(thread, NULL);
#if defined(FOUND)
    assert(result != FOUND); // fault: assertion
#elif defined(SEEN)
    assert(result != SEEN); // fault: assertion
#else
    assert(result != 2); // fault: assertion
#endif
    return 0;
}
