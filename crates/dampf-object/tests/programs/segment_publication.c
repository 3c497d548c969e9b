// expect: verified
// expect: verified flags: -DRELEASE
// expect: data-race flags: -DPLAIN
// expect: data-race flags: -DEARLY
//
// Data is published by an atomic flag; by a plain one, or before it is complete.
#include <pthread.h>
#include <stdatomic.h>

#ifdef PLAIN
static int flag;
#define SET(value) (flag = (value)) // fault: data-race
#define GET() flag // fault: data-race
#elif defined(RELEASE)
static atomic_int flag;
#define SET(value) atomic_store_explicit(&flag, value, memory_order_release)
#define GET() atomic_load_explicit(&flag, memory_order_acquire)
#else
static atomic_int flag;
#define SET(value) atomic_store(&flag, value)
#define GET() atomic_load(&flag)
#endif
static int data[3];

static void *publishes(void *unused) {
    data[0] = 1;
    data[1] = 2;
#ifdef EARLY
    SET(1);
    data[2] = 3; // fault: data-race
#else
    data[2] = 3;
    SET(1); // fault: data-race
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    int sum = 6;
    pthread_create(&thread, 0, publishes, 0);
    if (GET()) { // fault: data-race
        sum = data[0] + data[1] + data[2]; // fault: data-race
    }
    pthread_join(thread, 0);
    return sum != 6;
}
