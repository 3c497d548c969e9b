// expect: data-race
// expect: data-race flags: -DMEMBER
// expect: verified flags: -DCONDITION
// expect: data-race flags: -DSTATIC
// expect: data-race flags: -O2
// expect: data-race flags: -O0
// expect: verified flags: -DNEIGHBOUR
// A value that is read and of no use: compilers drop the load of a named variable, and it is a read all the same.
#include <pthread.h>

static struct {
    int first, second;
} pair;
int number;

static void *write(void *unused) {
    number = 1; // fault: data-race
    pair.second = 1; // fault: data-race
    return unused;
}

static void *read(void *unused) {
#ifdef MEMBER
    int value = pair.second; // fault: data-race
    (void)value;
#elif defined(NEIGHBOUR)
    int value = pair.first;
    (void)value;
#elif defined(CONDITION)
    // The limit that docs/programs.md names: this is a read and races, but gcc has no code for it at any level.
    if (number)
        ;
#elif defined(STATIC)
    static int seen;
    if (number) // fault: data-race
        seen = 1;
#else
    int value = number; // fault: data-race
    (void)value;
#endif
    return unused;
}

int main(void) {
    pthread_t writer, reader;
    pthread_create(&writer, 0, write, 0);
    pthread_create(&reader, 0, read, 0);
    pthread_join(writer, 0);
    pthread_join(reader, 0);
    return 0;
}
