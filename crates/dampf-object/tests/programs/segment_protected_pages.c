// expect: verified
// expect: invalid-access flags: -DBUG
// expect: data-race flags: -DUNMAPPED
//
// Pages lose a right, or go, while another thread may still write there.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>

static sem_t done;
static int *pages;

static void *writes(void *unused) {
#if defined(BUG) || defined(UNMAPPED)
    sem_post(&done);
    *pages = 1; // fault: invalid-access data-race
#else
    *pages = 1;
    sem_post(&done);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&done, 0, 0);
    pages = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&thread, 0, writes, 0);
    sem_wait(&done);
#ifdef UNMAPPED
    munmap(pages, 4096); // fault: data-race
#else
    mprotect(pages, 4096, PROT_READ);
#endif
    pthread_join(thread, 0);
    return 0;
}
