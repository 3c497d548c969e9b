// expect: stack-access
// expect: verified flags: -DFIX
// A function returns while another thread has still to post the semaphore on its stack.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

struct call {
    sem_t semaphore;
    atomic_int done;
};

static void *answers(void *argument) {
    struct call *call = argument;
    call->done = 1;
    sem_post(&call->semaphore); // fault: stack-access
    return 0;
}

static __attribute__((noinline)) pthread_t ask(void) {
    struct call call;
    pthread_t thread;
    sem_init(&call.semaphore, 0, 0);
    call.done = 0;
    pthread_create(&thread, 0, answers, &call);
#ifdef FIX
    sem_wait(&call.semaphore);
#else
    while (!call.done) {}
#endif
    return thread;
}

int main(void) {
    pthread_join(ask(), 0);
    return 0;
}
