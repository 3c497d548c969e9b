// expect: verified
// expect: data-race flags: -DBITS
// expect: data-race flags: -DCOPY
// expect: data-race flags: -DFILL
//
// Neighbours in one word do not race, unless they are bits of one unit, or somebody copies or fills them all.
#include <pthread.h>
#include <string.h>

struct Neighbours {
    char first, second;
    short third;
#ifdef BITS
    unsigned one : 3, two : 5;
#else
    unsigned one : 3;
    unsigned : 0;
    unsigned two : 5;
#endif
};

static struct Neighbours shared, copy;
static char letters[4];

static void *left(void *unused) {
    shared.first = 1; // fault: data-race
    shared.one = 1; // fault: data-race
    letters[0] = letters[2] = 'a';
    return unused;
}

static void *right(void *unused) {
#ifdef COPY
    copy = shared; // fault: data-race
#elif defined(FILL)
    memset(&shared, 0, sizeof shared); // fault: data-race
#else
    shared.second = 2;
    shared.third = 3;
    shared.two = 2; // fault: data-race
#endif
    letters[1] = letters[3] = 'b';
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, left, 0);
    pthread_create(&two, 0, right, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return letters[1] != 'b' || copy.third != 0;
}
