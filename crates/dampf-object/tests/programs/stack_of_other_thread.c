// expect: verified
// The variables of a waiting thread are as good as any.
#include <assert.h>
#include <pthread.h>

static void *body(void *numbers) {
    ((int *)numbers)[1] = ((int *)numbers)[0] + 1;
    return NULL;
}

int main(void) {
    pthread_t thread;
    int numbers[2] = {1, 0};
    pthread_create(&thread, NULL, body, numbers);
    pthread_join(thread, NULL);
    assert(numbers[1] == 2);
    return 0;
}
