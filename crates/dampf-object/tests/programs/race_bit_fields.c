// expect: verified
// expect: data-race flags: -DBUG
// Neighbouring bit-fields are one memory location; neighbouring bytes are two.
#include <assert.h>
#include <pthread.h>

static struct {
#ifdef BUG
    unsigned char left : 4, right : 4;
#else
    unsigned char left, right;
#endif
} pair;

static void *body(void *none) {
    pair.right = 1; // fault: data-race
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pair.left = 1; // fault: data-race
    pthread_join(thread, NULL);
    assert(pair.left == 1 && pair.right == 1);
    return 0;
}
