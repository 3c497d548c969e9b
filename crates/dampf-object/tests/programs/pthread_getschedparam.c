// expect: verified
// expect: data-race flags: -DBUG
// The policy and the priority of a thread can be asked for, whether or not it has ended. They are written like any variable.
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static int policy = -1;

static void *works(void *unused) {
#ifdef BUG
    policy = 3; // fault: data-race
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    struct sched_param parameter = {.sched_priority = -1};
    pthread_create(&thread, 0, works, 0);
    assert(pthread_getschedparam(thread, &policy, &parameter) == 0); // fault: data-race
    assert(parameter.sched_priority == 0);
#ifndef BUG
    assert(policy == SCHED_OTHER);
#endif
    pthread_join(thread, 0);
    return 0;
}
