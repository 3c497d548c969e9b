// Threads that begin alike, and what may tell one from another, by number.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static sem_t semaphore;
static atomic_int tickets, sum, seen;
static _Atomic(int *) place;
static int plain, parts[4];
static pthread_t first, threads[3];
static pthread_key_t key;

static void destroy(void *block) {
    sum += *(int *)block;
    free(block);
}

static void *work(void *unused) {
    int ticket = tickets++;
#if KIND == 0  // Nothing but a ticket.
    parts[ticket] = ticket + 1;
#elif KIND == 1  // Its handle.
    pthread_mutex_lock(&lock);
    sum += pthread_equal(pthread_self(), first);
    pthread_mutex_unlock(&lock);
#elif KIND == 2  // The address of a variable of its own.
    int own = 1;
    int *old = atomic_exchange(&place, &own);
    if (old == &own) seen++;
#elif KIND == 3  // The address of a block of its own.
    int *own = malloc(4), *old = atomic_exchange(&place, own);
    if (old == own) seen++;
#elif KIND == 4  // What happens between the joins.
    if (ticket > 0) sem_wait(&semaphore);
#elif KIND == 5  // That the others never end.
    while (ticket > 0) sum = ticket;
#elif KIND == 6  // What it returns.
    return (void *)(long)ticket;
#elif KIND == 7  // Who holds a lock that knows its owner.
    pthread_mutex_lock(&lock);
    if (pthread_mutex_unlock(&checked) == 0) seen++;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&checked);
    pthread_mutex_lock(&lock);
    if (pthread_mutex_lock(&checked) == 0) seen++;
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&checked);
#elif KIND == 8  // Values of a key, and who destroys them.
    int *block = malloc(4);
    *block = ticket + 1;
    pthread_setspecific(key, block);
    sum += 0;
    assert(*(int *)pthread_getspecific(key) == ticket + 1);
#elif KIND == 9  // Locks in both orders.
    pthread_mutex_lock(ticket & 1 ? &lock : &other);
    pthread_mutex_lock(ticket & 1 ? &other : &lock);
    pthread_mutex_unlock(ticket & 1 ? &other : &lock);
    pthread_mutex_unlock(ticket & 1 ? &lock : &other);
#elif KIND == 10  // A lock that its joiner holds.
    if (ticket == 1) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
#elif KIND == 11  // Who races.
    if (ticket == 2) plain = 1;
    if (tickets++ == 3) plain = 2;
#elif KIND == 12  // A message with too weak an order.
    if (ticket == 0) {
        plain = 1;
        atomic_store_explicit(&seen, 1, memory_order_relaxed);
    } else if (atomic_load_explicit(&seen, memory_order_acquire)) {
        assert(plain == 1);
    }
#elif KIND == 13  // A lock of its own, that it locks twice.
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&own);
    if (ticket == 1) pthread_mutex_lock(&own);
#elif KIND == 14  // Its number.
    if (gettid() == 0) seen++;
#elif KIND == 15  // Another's handle.
    sum += ticket == 0 && pthread_kill(threads[0], 0) == 0;
#elif KIND == 16  // That it holds a lock when it ends.
    pthread_mutex_lock(&lock);
    if (ticket != 1) pthread_mutex_unlock(&lock);
#endif
    return unused;
}

int main(void) {
    void *value = 0;
    sem_init(&semaphore, 0, 0);
    pthread_key_create(&key, destroy);
#if KIND == 1 || KIND == 10 || KIND == 15
    pthread_mutex_lock(&lock);
#endif
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, 0);
    first = threads[0];
#if KIND == 1 || KIND == 15
    pthread_mutex_unlock(&lock);
#endif
#if KIND == 17  // Who is detached.
    pthread_detach(threads[0]);
    pthread_join(threads[1], 0);
    pthread_join(threads[2], 0);
    assert(tickets == 3);
#else
    pthread_join(threads[0], &value);
#if KIND == 4
    sem_post(&semaphore);
    sem_post(&semaphore);
#elif KIND == 5
    assert(0);
#elif KIND == 18  // What is seen between the joins.
    assert(tickets == 3);
#elif KIND == 19  // That the process ends between the joins.
    exit(tickets == 2);
#endif
    pthread_join(threads[1], KIND == 6 ? &value : 0);
    assert(KIND != 6 || value != 0);
    pthread_join(threads[2], 0);
#endif
    assert(seen == 0 || KIND == 12);
    assert(KIND != 8 || sum == 6);
    return 0;
}
