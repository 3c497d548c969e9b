// expect: deadlock
// expect: deadlock flags: -DN=4
// expect: verified flags: -DLEFT_HANDED
// expect: verified flags: -DLEFT_HANDED -DMEALS=2
//
// N philosophers sit around a table, with one fork between each two. Whoever is hungry takes the fork to the left,
// then the one to the right. When all have taken one, all wait for ever; a single philosopher who reaches for the
// right fork first saves them.
#include <dampf.h>

#ifndef N
#define N 3
#endif
#ifndef MEALS
#define MEALS 1
#endif

static int forks[N];

class Philosopher : public ICVMThread {
public:
    Philosopher(int *first, int *second) : first(first), second(second) {}

private:
    void run() override {
        for (int meal = 0; meal < MEALS; meal++) {
            VLOCK(first);
            VLOCK(second);
            VUNLOCK(second);
            VUNLOCK(first);
        }
    }

    int *first, *second;
};

int main() {
    BEGINATOMIC
    for (int i = 0; i < N; i++) {
        int *left = &forks[i], *right = &forks[(i + 1) % N];
#ifdef LEFT_HANDED
        if (i == N - 1) {
            (new Philosopher(right, left))->start();
            continue;
        }
#endif
        (new Philosopher(left, right))->start();
    }
    ENDATOMIC
    return 0;
}
