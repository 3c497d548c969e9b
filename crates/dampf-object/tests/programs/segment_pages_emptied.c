// expect: verified
// expect: data-race flags: -DBUG
// expect: data-race flags: -DBUG -DMAPPED
//
// Pages whose contents are given up, or that are mapped anew, are zero afterwards: that is as if they were written.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>

static sem_t ready;
static int *pages;

static void *writes(void *unused) {
#ifdef BUG
    sem_post(&ready);
    *pages = 1; // fault: data-race
#else
    *pages = 1;
    sem_post(&ready);
#endif
    return unused;
}

static void *empties(void *unused) {
    sem_wait(&ready);
#ifdef MAPPED
    mmap(pages, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
#else
    madvise(pages, 4096, MADV_DONTNEED);
#endif
    return unused;
}

int main(void) {
    pthread_t one, two;
    sem_init(&ready, 0, 0);
    pages = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&one, 0, writes, 0);
    pthread_create(&two, 0, empties, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return *pages;
}
