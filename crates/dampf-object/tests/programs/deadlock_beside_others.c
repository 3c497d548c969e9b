// expect: deadlock
// expect: verified flags: -DORDERED
// expect: deadlock flags: -DSELF
// expect: deadlock flags: -DJOIN
// expect: verified flags: -DJOIN options: --no-deadlock
// Threads that wait for each other, while main never stops.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void *forwards(void *unused) {
    pthread_mutex_lock(&left);
#ifdef SELF
    pthread_mutex_lock(&left);
#endif
    pthread_mutex_lock(&right);
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return unused;
}

static void *backwards(void *unused) {
#if defined(ORDERED) || defined(SELF)
    return forwards(unused);
#elif defined(JOIN)
    pthread_t helper;
    pthread_mutex_lock(&left);
    pthread_create(&helper, 0, forwards, 0);
    pthread_join(helper, 0);
    pthread_mutex_unlock(&left);
    return unused;
#else
    pthread_mutex_lock(&right);
    pthread_mutex_lock(&left);
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return unused;
#endif
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, forwards, 0);
    pthread_create(&other, 0, backwards, 0);
    for (;;) sleep(1);
}
