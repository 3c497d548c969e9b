// expect: verified options: --ltl []<>in(critical) --fairness weak
// expect: verified options: --ltl [](wants[0]->(<>crit[0]))&&[](wants[1]->(<>crit[1])) --fairness weak
// expect: property flags: -DNO_TURN options: --ltl [](wants[0]->(<>crit[0])) --fairness weak
// expect: property options: --ltl [](wants[0]->(<>crit[0]))
//
// Peterson's algorithm for ever: nobody starves who is scheduled. NO_TURN has both give way to each other, which they
// can do for ever.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], crit[2], turn;

static void critical(int own) {
    crit[own] = 1;
    crit[own] = 0;
}

static void work(int own) {
    for (;;) {
#ifdef NO_TURN
        for (;;) {
            wants[own] = 1;
            if (!wants[1 - own]) break;
            wants[own] = 0;
        }
#else
        wants[own] = 1;
        turn = 1 - own;
        while (wants[1 - own] && turn == 1 - own) {
        }
#endif
        critical(own);
        wants[own] = 0;
    }
}

static void *other(void *unused) {
    work(1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    work(0);
}
