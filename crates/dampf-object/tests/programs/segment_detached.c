// expect: data-race
// expect: verified flags: -DPOSTED
// expect: verified flags: -DJOINED
//
// A detached thread's last access: nobody knows when it has happened, unless the thread says so.
#include <pthread.h>
#include <semaphore.h>

static sem_t done;
static int shared;

static void *writes(void *unused) {
    shared = 1; // fault: data-race
    sem_post(&done);
#ifndef POSTED
#ifndef JOINED
    shared = 2; // fault: data-race
#endif
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&done, 0, 0);
    pthread_create(&thread, 0, writes, 0);
#ifdef JOINED
    pthread_join(thread, 0);
#else
    pthread_detach(thread);
    sem_wait(&done);
#endif
    return shared != 1; // fault: data-race
}
