// expect: deadlock flags: -DCOUNT=2
// expect: deadlock flags: -DCOUNT=3
// expect: verified flags: -DCOUNT=3 -DGATE
// expect: verified flags: -DCOUNT=3 -DORDERED
//
// Philosophers: each takes its own fork and the next one's. A gate that one has to be in to take both makes it right, as
// does an order of the forks.
#include <pthread.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER, forks[COUNT];
static int eaten;

static void take(int fork) { pthread_mutex_lock(&forks[fork]); }

static void *eats(void *argument) {
    int own = *(int *)argument, next = (own + 1) % COUNT;
#ifdef ORDERED
    if (next < own) {
        int first = next;
        next = own;
        own = first;
    }
#endif
#ifdef GATE
    pthread_mutex_lock(&gate);
#endif
    take(own);
    take(next);
#ifdef GATE
    pthread_mutex_unlock(&gate);
#endif
    pthread_mutex_unlock(&forks[own]);
    pthread_mutex_unlock(&forks[next]);
    return 0;
}

int main(void) {
    static int numbers[COUNT];
    pthread_t threads[COUNT];
    for (int number = 0; number < COUNT; number++) {
        pthread_mutex_init(&forks[number], 0);
        numbers[number] = number;
    }
    for (int number = 0; number < COUNT; number++) {
        pthread_create(&threads[number], 0, eats, &numbers[number]);
    }
    for (int number = 0; number < COUNT; number++) {
        pthread_join(threads[number], 0);
    }
    return eaten;
}
