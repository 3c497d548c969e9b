// expect: verified
// expect: stack-overflow flags: -DBUG
// A thread with a stack of the size it asks for.
#include <pthread.h>
#include <string.h>

static char *volatile kept;

static void *body(void *none) { // fault: stack-overflow
#ifdef BUG
    char large[100000];
#else
    char large[1000];
#endif
    memset(large, 1, sizeof large); // fault: stack-overflow
    kept = large;
    return kept[10] == 1 ? none : NULL;
}

int main(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 65536);
    pthread_create(&thread, &attributes, body, NULL);
    pthread_join(thread, NULL);
    return 0;
}
