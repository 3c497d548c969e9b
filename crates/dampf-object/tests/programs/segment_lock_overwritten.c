// expect: data-race
// expect: verified flags: -DRIGHT
//
// A lock is overwritten like a variable, while another thread may use it; or before anybody does.
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static struct {
    pthread_mutex_t mutex;
    int value;
} object = {PTHREAD_MUTEX_INITIALIZER, 0};
static sem_t ready;

static void *uses(void *unused) {
    sem_wait(&ready);
    pthread_mutex_lock(&object.mutex); // fault: data-race
    object.value++;
    pthread_mutex_unlock(&object.mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&ready, 0, 0);
    pthread_create(&thread, 0, uses, 0);
#ifdef RIGHT
    memset(&object.mutex, 0, sizeof object.mutex);
    sem_post(&ready);
#else
    sem_post(&ready);
    memset(&object.mutex, 0, sizeof object.mutex); // fault: data-race
#endif
    pthread_join(thread, 0);
    return object.value != 1;
}
