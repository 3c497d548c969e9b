// expect: verified
// expect: data-race flags: -DPLAIN
// expect: data-race flags: -DTWO_WORDS
// expect: verified flags: -O2
//
// One access in a statement of inline assembly is atomic: there is no other reason to write it so. Copying by inline
// assembly is not.
#include <pthread.h>

static struct { int first, second; } shared;

static int load(int *address) {
    int value;
    __asm__ volatile("lw %0, 0(%1)\n\tfence r, rw" : "=r"(value) : "r"(address) : "memory");
    return value;
}

static void store(int *address, int value) {
    __asm__ volatile("fence rw, w\n\tsw %0, 0(%1)" : : "r"(value), "r"(address) : "memory");
}

static void *set(void *unused) {
#ifdef PLAIN
    shared.first = 1; // fault: data-race
#elif defined TWO_WORDS
    __asm__ volatile("sw %0, 0(%1)\n\tsw %0, 4(%1)" : : "r"(1), "r"(&shared) : "memory"); // fault: data-race
#else
    store(&shared.first, 1);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    while (!load(&shared.first)) {
    }
    pthread_join(thread, 0);
    (void)store;
    return 0;
}
