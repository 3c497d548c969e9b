// expect: verified
// expect: data-race flags: -DBUG
//
// A handler runs in its own thread, wherever that is; another thread races with it as with the thread itself.
#include <pthread.h>
#include <signal.h>

static int handled, other;

static void handle(int signal) {
    (void)signal;
    handled = 1; // fault: data-race
}

static void *raises(void *unused) {
    raise(SIGUSR1);
    return unused;
}

int main(void) {
    pthread_t thread;
    signal(SIGUSR1, handle);
    pthread_create(&thread, 0, raises, 0);
#ifdef BUG
    other = handled; // fault: data-race
#endif
    pthread_join(thread, 0);
    return handled != 1;
}
