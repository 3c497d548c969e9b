// expect: deadlock
// expect: verified flags: -DRIGHT
//
// Random runs see one order of the locks; the other one is taken only if a third thread came in between.
#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t state = PTHREAD_MUTEX_INITIALIZER;
static int stage, shared;

static int next_stage(int from) {
    pthread_mutex_lock(&state);
    int is_mine = stage == from;
    stage += is_mine;
    pthread_mutex_unlock(&state);
    return is_mine;
}

static void *usual(void *unused) {
    next_stage(1);
    pthread_mutex_lock(&first);
    shared++;
    pthread_mutex_lock(&second);
    shared++;
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    return unused;
}

static void *rare(void *unused) {
    int came = next_stage(0) && next_stage(2);
#ifdef RIGHT
    came = 0;
#endif
    pthread_mutex_lock(came ? &second : &first);
    pthread_mutex_lock(came ? &first : &second);
    shared++;
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, usual, 0);
    pthread_create(&two, 0, rare, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return shared != 3;
}
