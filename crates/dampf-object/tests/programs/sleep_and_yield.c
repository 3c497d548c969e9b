// expect: verified
// The ways to let others go first.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

static void *body(void *none) {
    sched_yield();
    usleep(10);
    return none;
}

int main(void) {
    pthread_t thread;
    struct timespec moment = {0, 1000};
    pthread_create(&thread, NULL, body, NULL);
    nanosleep(&moment, NULL);
    sched_yield();
    pthread_join(thread, NULL);
    return 0;
}
