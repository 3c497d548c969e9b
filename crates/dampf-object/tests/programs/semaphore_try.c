// expect: verified
// sem_trywait, sem_getvalue and sem_timedwait.
#include <assert.h>
#include <errno.h>
#include <semaphore.h>
#include <time.h>

int main(void) {
    sem_t semaphore;
    int value = -1;
    struct timespec deadline = {0, 0};
    sem_init(&semaphore, 0, 1);
    assert(sem_getvalue(&semaphore, &value) == 0 && value == 1);
    assert(sem_trywait(&semaphore) == 0);
    assert(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
    assert(sem_timedwait(&semaphore, &deadline) == -1 && errno == ETIMEDOUT);
    assert(sem_post(&semaphore) == 0);
    assert(sem_wait(&semaphore) == 0);
    return 0;
}
