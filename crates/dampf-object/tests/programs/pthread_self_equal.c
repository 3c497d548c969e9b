// expect: verified
// Threads know who they are.
#include <assert.h>
#include <pthread.h>

static pthread_t main_thread;

static void *body(void *none) {
    assert(pthread_equal(pthread_self(), pthread_self()));
    assert(!pthread_equal(pthread_self(), main_thread));
    return none;
}

int main(void) {
    pthread_t thread;
    main_thread = pthread_self();
    pthread_create(&thread, NULL, body, NULL);
    assert(!pthread_equal(thread, main_thread));
    pthread_join(thread, NULL);
    return 0;
}
