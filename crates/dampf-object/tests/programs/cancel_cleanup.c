// expect: verified
// expect: verified flags: -fexceptions
// expect: deadlock flags: -DFORGOTTEN
// expect: assertion flags: -DBUG
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int cleaned;

// A thread that is cancelled while it waits has its mutex again.
static void clean(void *by) {
    cleaned = cleaned * 10 + *(int *)by;
}

static void unlock(void *unused) {
    (void)unused;
    pthread_mutex_unlock(&mutex);
}

static void *work(void *unused) {
    int one = 1, two = 2;
    pthread_mutex_lock(&mutex);
#ifndef FORGOTTEN
    pthread_cleanup_push(unlock, NULL);
#endif
    pthread_cleanup_push(clean, &one);
    pthread_cleanup_push(clean, &two);
    for (;;) pthread_cond_wait(&condition, &mutex);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
#ifndef FORGOTTEN
    pthread_cleanup_pop(1);
#endif
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, work, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    pthread_mutex_lock(&mutex);
#ifdef BUG
    assert(cleaned == 12);  // fault: assertion
#else
    assert(cleaned == 21);
#endif
    pthread_mutex_unlock(&mutex);
    return 0;
}
