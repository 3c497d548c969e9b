// expect: verified
// Whoever comes first initialises; everybody else waits until that is done.
#include <assert.h>
#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int times;

static void initialise(void) {
    times++;
}

static void *body(void *none) {
    pthread_once(&once, initialise);
    assert(times == 1);
    return none;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, body, NULL);
    pthread_create(&second, NULL, body, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(times == 1);
    return 0;
}
