// expect: verified
// Cleanup handlers run in reverse order when a thread ends itself.
#include <assert.h>
#include <pthread.h>

static int order[2], count;

static void note(void *which) {
    order[count++] = *(int *)which;
}

static void *body(void *none) {
    static int one = 1, two = 2;
    pthread_cleanup_push(note, &one);
    pthread_cleanup_push(note, &two);
    pthread_exit(none);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
    assert(count == 2 && order[0] == 2 && order[1] == 1);
    return 0;
}
