// expect: assertion options: --no-races
// The value of a semaphore arrives where it is wanted after whatever happened before, and others may look meanwhile.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static atomic_int asked;
static int value;

static void *looks(void *unused) {
    if (asked) assert(value == 3); // fault: assertion
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_t semaphore;
    sem_init(&semaphore, 0, 3);
    pthread_create(&thread, 0, looks, 0);
    asked = 1;
    sem_getvalue(&semaphore, &value);
    pthread_join(thread, 0);
    return 0;
}
