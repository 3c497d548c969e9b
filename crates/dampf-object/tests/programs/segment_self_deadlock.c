// expect: verified
// expect: deadlock flags: -DBUG
//
// A function takes a lock that its caller holds already, three calls further up and behind another lock.
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void add(int number) {
#ifdef BUG
    pthread_mutex_lock(&first);
#endif
    total += number;
#ifdef BUG
    pthread_mutex_unlock(&first);
#endif
}

static void inner(int number) {
    pthread_mutex_lock(&second);
    add(number);
    pthread_mutex_unlock(&second);
}

static void *outer(void *unused) {
    pthread_mutex_lock(&first);
    inner(2);
    pthread_mutex_unlock(&first);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, outer, 0);
    outer(0);
    pthread_join(thread, 0);
    return total != 4;
}
