// expect: verified
// expect: data-race flags: -DBUG
//
// Strings are read by words, beyond the end of a block, too; by several threads at the same time.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static size_t lengths[2];

static void *measures(void *unused) {
    lengths[1] = strlen(text); // fault: data-race
    return unused;
}

int main(void) {
    pthread_t thread;
    text = malloc(5);
    strcpy(text, "abcd");
    pthread_create(&thread, 0, measures, 0);
#ifdef BUG
    text[3] = 0; // fault: data-race
#endif
    lengths[0] = strlen(text);
    pthread_join(thread, 0);
    text[0] = 'A';
    return lengths[0] + lengths[1] > 8;
}
