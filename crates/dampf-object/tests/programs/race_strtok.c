// expect: data-race
// expect: verified flags: -DFIX
// strtok remembers where it is, for all threads alike.
#include <pthread.h>
#include <string.h>

static char first[] = "1 2 3", second[] = "4 5 6";

static void *splits(void *text) {
#ifdef FIX
    char *rest;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(0, " ", &rest)) {}
#else
    for (char *word = strtok(text, " "); word; word = strtok(0, " ")) {} // fault: data-race
#endif
    return 0;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, splits, first);
    pthread_create(&two, 0, splits, second);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
