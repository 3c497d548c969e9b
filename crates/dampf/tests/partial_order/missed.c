// Things that go wrong while two threads work on something else: whoever leaves steps out must not miss them.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef KIND
#define KIND 0
#endif

static atomic_int near_first, near_second, a, b, c;
static int x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int *block;

static void *work(void *counter) {
    for (int i = 0; i < 2; i++) ++*(atomic_int *)counter;
    return 0;
}

static void locked_write(int *variable) {
    pthread_mutex_lock(&m);
    *variable += 1;
    pthread_mutex_unlock(&m);
}

#if KIND == 0 // A race with what was written under a mutex.
static void *first(void *unused) { locked_write(&x); a++; return unused; }
static void *second(void *unused) { b++; x = 2; return unused; }
#elif KIND == 1 // A race with the last segment of a thread that stands before an operation on something else.
static void *first(void *unused) { a++; x = 1; a++; return unused; }
static void *second(void *unused) { b++; b++; b++; return (void *)(long)x; }
#elif KIND == 2 // The process ends before a thread fails, or behind it.
static void *first(void *unused) { a++; exit(0); return unused; }
static void *second(void *unused) { assert(near_second != 3); return unused; }
#elif KIND == 3 // One waits for ever in a loop, another fails.
static void *first(void *unused) { while (!a) sched_yield(); return unused; }
static void *second(void *unused) { assert(near_second != 3); a++; return unused; }
#elif KIND == 4 // One goes round for ever, another fails.
static void *first(void *unused) { for (;;) a = !a; return unused; }
static void *second(void *unused) { b = a; assert(near_second != 3); return unused; }
#elif KIND == 5 // A deadlock.
static void *first(void *unused) { a++; pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); return unused; }
static void *second(void *unused) { b++; pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n); return unused; }
#elif KIND == 6 // A signal that comes too early.
static void *first(void *unused) { a++; pthread_mutex_lock(&m); pthread_cond_wait(&condition, &m); pthread_mutex_unlock(&m); return unused; }
static void *second(void *unused) { b++; pthread_cond_signal(&condition); return unused; }
#elif KIND == 7 // What is done in few orders only.
static void *first(void *unused) { a++; a++; if (c == 2) b = 7; return unused; }
static void *second(void *unused) { c++; c++; if (a == 1) { c = 0; a = 9; } assert(b != 7); return unused; }
#elif KIND == 8 // A thread that creates others, which fail.
static void *third(void *unused) { c++; assert(b != 1); return unused; }
static void *first(void *unused) { pthread_t t; a++; pthread_create(&t, 0, third, 0); pthread_detach(t); return unused; }
static void *second(void *unused) { b++; b++; return unused; }
#elif KIND == 9 // The exit status depends on the order.
static void *first(void *unused) { a++; exit(b); return unused; }
static void *second(void *unused) { b++; b++; return unused; }
#elif KIND == 10 // Memory is used and freed.
static void *first(void *unused) { a++; free(block); return unused; }
static void *second(void *unused) { b++; *block = 1; return unused; }
#elif KIND == 11 // What the library keeps for itself tells the order.
static void *first(void *unused) { a++; x = rand(); a++; return unused; }
static void *second(void *unused) { b++; y = rand(); b++; return unused; }
#elif KIND == 12 // Whoever takes first need not know of what came before the last one gave back.
static void *first(void *unused) { a++; x = 1; sem_post(&semaphore); return unused; }
static void *second(void *unused) { b++; sem_wait(&semaphore); x = 2; return unused; }
#elif KIND == 13 // A relaxed store publishes nothing.
static void *first(void *unused) { x = 1; atomic_store_explicit(&a, 1, memory_order_relaxed); return unused; }
static void *second(void *unused) { b++; if (atomic_load_explicit(&a, memory_order_relaxed)) x = 2; return unused; }
#elif KIND == 14 // The same as 12, with a history.
static void *first(void *unused) { atomic_fetch_add_explicit(&a, 1, memory_order_relaxed); x = 1; sem_post(&semaphore); return unused; }
static void *second(void *unused) { b++; sem_wait(&semaphore); x = 2; return unused; }
#elif KIND == 15 // A lock that is held is observed.
static void *first(void *unused) { a++; pthread_mutex_lock(&m); a++; pthread_mutex_unlock(&m); return unused; }
static void *second(void *unused) { b++; if (pthread_mutex_trylock(&m)) assert(a == 1); else pthread_mutex_unlock(&m); return unused; }
#elif KIND == 16 // Nested mutexes, one of which is held for long by another thread.
static void *first(void *unused) { pthread_mutex_lock(&m); pthread_mutex_lock(&n); x++; pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); return unused; }
static void *second(void *unused) { pthread_mutex_lock(&n); b++; y = 1; b++; y = 0; assert(a == 0); pthread_mutex_unlock(&n); a++; return unused; }
#elif KIND == 17 // Nothing is wrong.
static void *first(void *unused) { for (int i = 0; i < 3; i++) locked_write(&x); return unused; }
static void *second(void *unused) { for (int i = 0; i < 3; i++) locked_write(&x); return unused; }
#elif KIND == 18 // A failure in a round of a loop that counts down, with another loop in it.
static void *first(void *unused) { for (int i = 3; i > 0; i--) for (int k = 0; k < 2; k++) a++; return unused; }
static void *second(void *unused) { for (int i = 3; i > 0; i--) { b++; assert(a != 4 || b != 2); } return unused; }
#elif KIND == 19 // A block is written while another thread stands before it.
static void *first(void *unused) { *block = 1; a++; return unused; }
static void *second(void *unused) { b++; b++; *block = 2; return unused; }
#endif

static void *begin_first(void *unused) {
    near_first++;
    first(unused);
    near_first++;
    return unused;
}

static void *begin_second(void *unused) {
    near_second++;
    second(unused);
    near_second++;
    return unused;
}

int main(void) {
    pthread_t threads[4];
    block = malloc(sizeof *block);
    sem_init(&semaphore, 0, KIND == 12 || KIND == 14);
    pthread_create(&threads[0], 0, work, &near_first);
    pthread_create(&threads[1], 0, begin_first, 0);
    pthread_create(&threads[2], 0, begin_second, 0);
    pthread_create(&threads[3], 0, work, &near_second);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    assert(KIND != 11 || x > y);
    return 0;
}
