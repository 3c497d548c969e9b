// expect: data-race
// What a constructor got from a function of the library, before main, is the program's.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *text;
static int process;

__attribute__((constructor)) static void prepare(void) {
    text = strdup("abc");
    process = getpid();
}

static void *writes(void *unused) {
    if (getpid() != process) abort();
    text[0] = 'x'; // fault: data-race
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writes, 0);
    text[0] = 'y'; // fault: data-race
    pthread_join(thread, 0);
    free(text);
    return 0;
}
