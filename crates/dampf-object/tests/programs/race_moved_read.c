// expect: verified
// expect: verified flags: -O2
// expect: data-race flags: -DBUG
// expect: data-race flags: -DBUG -O2
// A read that a loop never comes to is no read: compilers like to read before the loop.
#include <pthread.h>

static int number;

static void *look(void *wanted) {
    long sum = 0;
    for (int i = 0; i < 3; i++)
        if (wanted) sum += number; // fault: data-race
    return (void *)sum;
}

int main(void) {
    pthread_t thread;
#ifdef BUG
    pthread_create(&thread, 0, look, &number);
#else
    pthread_create(&thread, 0, look, 0);
#endif
    number = 1; // fault: data-race
    pthread_join(thread, 0);
    return 0;
}
