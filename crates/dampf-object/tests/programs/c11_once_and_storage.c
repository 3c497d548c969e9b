// expect: verified
// call_once, thread-specific storage, thread_local, trying and yielding of the C standard.
#include <assert.h>
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static tss_t storage;
static mtx_t mutex;
static thread_local int own = 3;
static int initialised;

static void initialise(void) {
    initialised++;
    tss_create(&storage, NULL);
}

static int body(void *none) {
    (void)none;
    call_once(&once, initialise);
    own++;
    assert(own == 4);
    tss_set(storage, &own);
    assert(tss_get(storage) == &own);
    thrd_yield();
    return mtx_trylock(&mutex) == thrd_busy ? 0 : 1;
}

int main(void) {
    thrd_t thread;
    int status = 1;
    mtx_init(&mutex, mtx_plain | mtx_recursive);
    mtx_lock(&mutex);
    mtx_lock(&mutex);
    thrd_create(&thread, body, NULL);
    call_once(&once, initialise);
    thrd_join(thread, &status);
    mtx_unlock(&mutex);
    mtx_unlock(&mutex);
    assert(status == 0 && initialised == 1 && own == 3);
    return 0;
}
