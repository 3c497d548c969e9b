// expect: verified
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

struct objects {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    pthread_rwlock_t lock;
    pthread_barrier_t barrier;
    pthread_spinlock_t spin;
    sem_t semaphore;
};

static void use(struct objects *objects) {
    pthread_mutex_init(&objects->mutex, NULL);
    pthread_cond_init(&objects->condition, NULL);
    pthread_rwlock_init(&objects->lock, NULL);
    pthread_barrier_init(&objects->barrier, NULL, 1);
    pthread_spin_init(&objects->spin, 0);
    sem_init(&objects->semaphore, 0, 1);
    pthread_mutex_lock(&objects->mutex);
    pthread_cond_signal(&objects->condition);
    pthread_mutex_unlock(&objects->mutex);
    pthread_rwlock_rdlock(&objects->lock);
    pthread_rwlock_unlock(&objects->lock);
    pthread_barrier_wait(&objects->barrier);
    pthread_spin_lock(&objects->spin);
    pthread_spin_unlock(&objects->spin);
    sem_wait(&objects->semaphore);
    pthread_mutex_destroy(&objects->mutex);
    pthread_cond_destroy(&objects->condition);
    pthread_rwlock_destroy(&objects->lock);
    pthread_barrier_destroy(&objects->barrier);
    pthread_spin_destroy(&objects->spin);
    sem_destroy(&objects->semaphore);
}

// Objects that are left as they are when their function returns, locked.
static void leave(void) {
    pthread_mutex_t mutex;
    pthread_rwlock_t lock;
    pthread_spinlock_t spin;
    pthread_mutex_init(&mutex, NULL);
    pthread_rwlock_init(&lock, NULL);
    pthread_spin_init(&spin, 0);
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&lock);
    pthread_spin_lock(&spin);
}

int main(void) {
    static struct objects pool;
    for (int round = 0; round < 2; round++) {
        // Whatever bytes there were.
        memset(&pool, 1, sizeof pool);
        use(&pool);
        struct objects *heap = malloc(sizeof *heap);
        use(heap);
        free(heap);
        heap = malloc(sizeof *heap);
        memset(heap, 255, sizeof *heap);
        use(heap);
        free(heap);
        struct objects local;
        use(&local);
    }
    memset(&pool, 0, sizeof pool);
    pthread_mutex_lock(&pool.mutex);
    pthread_rwlock_wrlock(&pool.lock);
    leave();
    leave();
    return pthread_cond_signal(&pool.condition);
}
