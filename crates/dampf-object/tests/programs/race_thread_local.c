// expect: data-race
// A thread hands out a pointer to a variable of its own, and both change it. Trails name such variables by thread.
#include <pthread.h>

static _Thread_local int counts[4];

static void *other(void *count) {
    ++*(int *)count; // fault: data-race
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, other, &counts[2]);
    ++counts[2]; // fault: data-race
    pthread_join(thread, NULL);
    return 0;
}
