// expect: verified
// expect: data-race flags: -DCOPIED
// expect: data-race flags: -DPRINTED
// expect: data-race flags: -DWRITTEN
//
// A text is changed while somebody copies it, prints it or hands it to the system; or behind a lock, which is right.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char text[16] = "abc", copy[16];

static void *changes(void *unused) {
    pthread_mutex_lock(&mutex);
    text[1] = 'x'; // fault: data-race
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, changes, 0);
#ifdef COPIED
    strcpy(copy, text); // fault: data-race
#elif defined(PRINTED)
    printf("%s\n", text); // fault: data-race
#elif defined(WRITTEN)
    if (write(1, text, 3) != 3) { // fault: data-race
        return 1;
    }
#else
    pthread_mutex_lock(&mutex);
    strcpy(copy, text);
    pthread_mutex_unlock(&mutex);
    puts(copy);
#endif
    pthread_join(thread, 0);
    return 0;
}
