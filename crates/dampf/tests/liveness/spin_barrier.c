// expect: livelock options: --livelock
// expect: verified flags: -DSENSE options: --livelock
// expect: verified flags: -DSENSE options: --ltl <>passed==2 --fairness weak
//
// A barrier of two threads, used twice, whose counter starts again when all have come. Who is slow to see that all were
// there finds the counter started again, and waits for somebody who has passed long ago. SENSE counts the rounds.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int arrived, round_number, passed;

static void await_all(void) {
#ifdef SENSE
    int own = round_number;
    if (atomic_fetch_add(&arrived, 1) == 1) {
        arrived = 0;
        round_number = own + 1;
    } else {
        while (round_number == own) {
        }
    }
#else
    if (atomic_fetch_add(&arrived, 1) == 1) {
        arrived = 0;
    } else {
        while (arrived != 0) {
        }
    }
#endif
}

static void *work(void *unused) {
    await_all();
    await_all();
    passed++;
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    work(0);
    pthread_join(thread, 0);
}
