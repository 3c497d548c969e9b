// expect: verified
// expect: data-race flags: -DRACE
// expect: invalid-access flags: -DPROTECTED
// Memory that a thread has mapped is unmapped or protected by another: in order, or not.
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

static char *memory;

static void *user(void *argument) {
    memory[PAGE + 3] = 1; // fault: data-race // fault: invalid-access
    return argument;
}

int main(void) {
    memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t thread;
    pthread_create(&thread, NULL, user, NULL);
#ifdef RACE
    munmap(memory, 2 * PAGE); // fault: data-race
    pthread_join(thread, NULL);
#elif defined PROTECTED
    mprotect(memory + PAGE, PAGE, PROT_READ);
    pthread_join(thread, NULL);
#else
    // The other page is nobody's.
    munmap(memory, PAGE);
    pthread_join(thread, NULL);
    munmap(memory + PAGE, PAGE);
#endif
    return 0;
}
