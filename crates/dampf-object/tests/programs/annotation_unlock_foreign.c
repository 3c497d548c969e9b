// expect: privilege-violation
// Unlocking what another thread holds.
#include <dampf.h>
#include <pthread.h>

static int resource;

static void *body(void *none) {
    VUNLOCK(&resource); // fault: privilege-violation
    return none;
}

int main(void) {
    pthread_t thread;
    VLOCK(&resource);
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
    return 0;
}
