// expect: data-race
// Nobody is interested in what the function returns, but it reads the flag.
#include <pthread.h>

static int flag;

static __attribute__((noinline)) int look(void) {
    return flag; // fault: data-race
}

static void *looks(void *unused) {
    look();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, looks, 0);
    flag = 1; // fault: data-race
    pthread_join(thread, 0);
    return 0;
}
