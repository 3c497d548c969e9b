// expect: data-race
// expect: verified options: --volatile atomic
// expect: data-race flags: -DFIELD
// expect: verified flags: -DFIELD options: --volatile atomic
// expect: data-race flags: -DELEMENT
// expect: verified flags: -DELEMENT options: --volatile atomic
// expect: data-race flags: -DPLAIN options: --volatile atomic
// Two threads use a variable that is declared volatile, or a volatile part of one, or one that is not.
#include <pthread.h>
#include <stddef.h>

typedef volatile int flag;

#ifdef FIELD
static struct {
    int quiet;
    flag raised;
} state;
#define SHARED state.raised
#elif defined ELEMENT
static flag flags[3];
#define SHARED flags[1]
#elif defined PLAIN
static struct {
    int quiet;
    flag raised;
} state;
#define SHARED state.quiet
#else
static flag raised;
#define SHARED raised
#endif

static void *raise_flag(void *argument) {
    SHARED = 1; // fault: data-race
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, raise_flag, NULL);
    int seen = SHARED; // fault: data-race
    pthread_join(thread, NULL);
    return seen == 2;
}
