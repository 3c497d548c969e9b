// expect: verified
// A loop that tries until nobody was in between.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int value = 1;

static void *triple(void *none) {
    int seen = atomic_load(&value);
    while (!atomic_compare_exchange_weak(&value, &seen, seen * 3)) {
    }
    return none;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, triple, NULL);
    pthread_create(&second, NULL, triple, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(value == 9);
    return 0;
}
