// expect: verified
// expect: data-race flags: -DBUG
// expect: data-race flags: -DBUG -fno-builtin
// The accesses that a library function makes count as well.
#include <pthread.h>
#include <string.h>

static char text[16] = "before";
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *body(void *none) {
    pthread_mutex_lock(&mutex);
    strcpy(text, "after"); // fault: data-race
    pthread_mutex_unlock(&mutex);
    return none;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
#ifndef BUG
    pthread_mutex_lock(&mutex);
#endif
    size_t length = strlen(text); // fault: data-race
#ifndef BUG
    pthread_mutex_unlock(&mutex);
#endif
    pthread_join(thread, NULL);
    return length > 6;
}
