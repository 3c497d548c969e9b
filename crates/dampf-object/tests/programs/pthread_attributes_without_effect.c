// expect: verified
// Names, priorities and processors of threads change nothing of what they do.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static int done;

static void *works(void *unused) {
    done = 1;
    return unused;
}

int main(void) {
    pthread_t thread;
    cpu_set_t processors;
    struct sched_param priority = {0};
    pthread_create(&thread, 0, works, 0);
    CPU_ZERO(&processors);
    CPU_SET(0, &processors);
    pthread_setname_np(thread, "worker");
    pthread_setaffinity_np(thread, sizeof processors, &processors);
    pthread_setschedparam(thread, SCHED_OTHER, &priority);
    pthread_join(thread, 0);
    assert(done == 1);
    return 0;
}
