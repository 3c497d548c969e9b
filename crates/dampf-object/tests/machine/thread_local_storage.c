// Thread-local variables of the main thread and of one that is waited for.
#include <pthread.h>
#include <stdio.h>

static __thread int counter = 10;
static _Thread_local char text[8] = "main";
static _Thread_local long zero;

static void *body(void *none) {
    counter += 5;
    text[0] = 't';
    zero++;
    printf("%d %s %ld\n", counter, text, zero);
    return none;
}

int main(void) {
    pthread_t thread;
    counter++;
    for (int i = 0; i < 3; i++) {
        pthread_create(&thread, NULL, body, NULL);
        pthread_join(thread, NULL);
    }
    printf("%d %s %ld\n", counter, text, zero);
    return counter;
}
