// expect: verified
// expect: data-race flags: -DBUG
//
// A big array is filled by two threads, with one element that is in both parts, or none.
#include <pthread.h>

enum { COUNT = 4000 };
static int numbers[COUNT];

struct Part {
    int begin, end;
};

static void *fills(void *argument) {
    struct Part *part = argument;
    for (int at = part->begin; at < part->end; at++) {
        numbers[at] = at; // fault: data-race
    }
    return 0;
}

int main(void) {
    pthread_t one, two;
#ifdef BUG
    static struct Part parts[2] = {{0, COUNT / 2 + 1}, {COUNT / 2, COUNT}};
#else
    static struct Part parts[2] = {{0, COUNT / 2}, {COUNT / 2, COUNT}};
#endif
    pthread_create(&one, 0, fills, &parts[0]);
    pthread_create(&two, 0, fills, &parts[1]);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return numbers[COUNT - 1] != COUNT - 1;
}
