// expect: verified
// expect: deadlock flags: -DBUG
// Condition variables of the C standard.
#include <threads.h>

static mtx_t mutex;
static cnd_t changed;
static int ready;

static int body(void *none) {
    (void)none;
    mtx_lock(&mutex);
    ready = 1;
#ifndef BUG
    cnd_signal(&changed);
#endif
    mtx_unlock(&mutex);
    thrd_exit(0);
}

int main(void) {
    thrd_t thread;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    thrd_create(&thread, body, NULL);
    mtx_lock(&mutex);
    while (!ready) cnd_wait(&changed, &mutex);
    mtx_unlock(&mutex);
    thrd_join(thread, NULL);
    cnd_destroy(&changed);
    return 0;
}
