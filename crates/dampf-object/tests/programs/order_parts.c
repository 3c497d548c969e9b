// expect: verified
// expect: data-race flags: -DBUG
// One thread marks its byte of a word, another looks at the whole word.
#include <pthread.h>
#include <stdint.h>

static union {
    uint8_t marks[8];
    uint64_t all;
} word;
static int value;

#ifdef BUG
enum { PUBLISH = __ATOMIC_RELAXED };
#else
enum { PUBLISH = __ATOMIC_RELEASE };
#endif

static void *marks(void *unused) {
    value = 3;
    __atomic_store_n(&word.marks[1], 1, PUBLISH);
    __atomic_store_n(&word.marks[2], 1, __ATOMIC_RELAXED);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, marks, 0);
    int seen = 3;
    if (__atomic_load_n(&word.all, __ATOMIC_ACQUIRE) >> 8 & 1) seen = value; // fault: data-race
    pthread_join(thread, 0);
    return seen != 3;
}
