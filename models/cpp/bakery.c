// expect: verified
// expect: verified flags: -DCONSUMERS=2 -DROUNDS=2
// expect: assertion flags: -DCONSUMERS=2 -DNOT_CHOOSING
//
// Lamport's bakery: a customer draws a number greater than all others, and is served when nobody has a smaller one. Two may
// draw the same number, so one has to know that the other is drawing: NOT_CHOOSING forgets that.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef CONSUMERS
#define CONSUMERS 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static atomic_int choosing[CONSUMERS], number[CONSUMERS], inside;

static void draw(int own) {
    int greatest = 0;
#ifndef NOT_CHOOSING
    choosing[own] = 1;
#endif
    for (int i = 0; i < CONSUMERS; i++) {
        int other = number[i];
        if (other > greatest) greatest = other;
    }
    number[own] = greatest + 1;
#ifndef NOT_CHOOSING
    choosing[own] = 0;
#endif
}

static void wait_for(int own, int other) {
    while (choosing[other]) {
    }
    while (1) {
        int theirs = number[other], mine = number[own];
        if (theirs == 0 || theirs > mine || (theirs == mine && other > own)) return;
    }
}

static void *consumer(void *argument) {
    int own = *(int *)argument;
    for (int round = 0; round < ROUNDS; round++) {
        draw(own);
        for (int other = 0; other < CONSUMERS; other++) {
            if (other != own) wait_for(own, other);
        }
        int others = inside++;
        assert(others == 0); // fault: assertion
        inside--;
        number[own] = 0;
    }
    return NULL;
}

int main(void) {
    pthread_t threads[CONSUMERS];
    static int numbers[CONSUMERS];
    for (int i = 0; i < CONSUMERS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, consumer, &numbers[i]);
    }
    for (int i = 0; i < CONSUMERS; i++) pthread_join(threads[i], NULL);
    return 0;
}
