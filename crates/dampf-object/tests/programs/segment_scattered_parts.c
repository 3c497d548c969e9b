// expect: verified
// expect: data-race flags: -DBUG
//
// Every other element, so that no two are one stretch: more than a segment has room for.
#include <pthread.h>

enum { COUNT = 200 };
static int numbers[COUNT];

static void *fills(void *argument) {
    int own = *(int *)argument;
    for (int at = own; at < COUNT; at += 2) {
        numbers[at] = at; // fault: data-race
    }
#ifdef BUG
    numbers[100] = own; // fault: data-race
#endif
    return 0;
}

int main(void) {
    static int both[2] = {0, 1};
    pthread_t one, two;
    pthread_create(&one, 0, fills, &both[0]);
    pthread_create(&two, 0, fills, &both[1]);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return numbers[0];
}
