// expect: verified
// expect: data-race flags: -DPLAIN
// expect: data-race flags: -DEARLY
//
// A lazily made object: the first check is without the lock, so it has to be atomic, and the object complete.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct Object {
    int value;
};

#ifdef PLAIN
static struct Object *object;
#define GET() object // fault: data-race
#define SET(made) (object = (made)) // fault: data-race
#else
static struct Object *_Atomic object;
#define GET() atomic_load(&object)
#define SET(made) atomic_store(&object, made)
#endif
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int get(void) {
    struct Object *found = GET(); // fault: data-race
    if (!found) {
        pthread_mutex_lock(&mutex);
        found = GET(); // fault: data-race
        if (!found) {
            found = malloc(sizeof *found);
#ifdef EARLY
            SET(found);
            found->value = 5; // fault: data-race
#else
            found->value = 5;
            SET(found); // fault: data-race
#endif
        }
        pthread_mutex_unlock(&mutex);
    }
    return found->value; // fault: data-race
}

static void *gets(void *unused) { return get() == 5 ? unused : &mutex; }

int main(void) {
    pthread_t thread;
    void *result;
    pthread_create(&thread, 0, gets, 0);
    int value = get();
    pthread_join(thread, &result);
    free(object);
    return value != 5 || result != 0;
}
