// expect: stack-access
// The variables of a thread end with it.
#include <pthread.h>

static int *volatile escaped;

__attribute__((noinline)) static void keep(int *pointer) {
    escaped = pointer;
}

static void *body(void *none) {
    int local = 1;
    keep(&local);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
    return *escaped; // fault: stack-access
}
