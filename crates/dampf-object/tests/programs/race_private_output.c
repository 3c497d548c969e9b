// expect: verified
// The library's own locks protect what it shares between threads: streams, the heap.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *body(void *none) {
    char *text = malloc(8);
    snprintf(text, 8, "%d", 1);
    puts(text);
    free(text);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    printf("%s\n", "main");
    free(malloc(16));
    pthread_join(thread, NULL);
    return 0;
}
