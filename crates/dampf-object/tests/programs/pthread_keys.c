// expect: verified
// expect: assertion flags: -DBUG
// Each thread has its own value of a key, and its destructor is called when the thread ends.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_key_t key;
static int values[2];
static atomic_int destroyed;

static void destroy(void *value) {
    assert(value == &values[1]);
    atomic_fetch_add(&destroyed, 1);
}

static void *body(void *none) {
    assert(pthread_getspecific(key) == NULL);
    pthread_setspecific(key, &values[1]);
    assert(pthread_getspecific(key) == &values[1]);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_key_create(&key, destroy);
    pthread_setspecific(key, &values[0]);
    pthread_create(&thread, NULL, body, NULL);
#ifdef BUG
    assert(destroyed == 1); // fault: assertion
#endif
    pthread_join(thread, NULL);
    assert(destroyed == 1);
    assert(pthread_getspecific(key) == &values[0]);
    pthread_key_delete(key);
    return 0;
}
