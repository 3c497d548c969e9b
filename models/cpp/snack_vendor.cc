// expect: assertion
// expect: verified flags: -DFIXED
//
// The control software of a snack vendor: coins raise the credit, buttons spend it. What was sold is never worth more than
// what was paid, or so it should be. An observer looks once, at any time. The button may be pressed between the two
// counters of one coin; FIXED makes their change one step.
#include <atomic>
#include <dampf.h>

#ifndef ROUNDS
#define ROUNDS 1
#endif
#define CREDIT_MAX 200

static const int coin_values[3] = {10, 50, 100};
static const int prices[3] = {50, 100, 200};
static std::atomic<int> credit, got, sold;

static void insert_coin(int amount) {
    if (credit + amount <= CREDIT_MAX) {
#ifdef FIXED
        BEGINATOMIC
#endif
        credit += amount;
        got += amount;
#ifdef FIXED
        ENDATOMIC
#endif
    }
}

static void press_button(int snack) {
    if (prices[snack] <= credit) {
        credit -= prices[snack];
        sold += prices[snack];
    }
}

class Inserter : public ICVMThread {
    void run() override {
        for (int round = 0; round < ROUNDS; round++) {
            int coin;
            RANGE(coin, 0, 2);
            insert_coin(coin_values[coin]);
        }
    }
};

class Presser : public ICVMThread {
    void run() override {
        for (int round = 0; round < ROUNDS; round++) {
            int snack;
            RANGE(snack, 0, 2);
            press_button(snack);
        }
    }
};

class Observer : public ICVMThread {
    void run() override {
        int sold_first = sold;
        VASSERT(got >= sold_first); // fault: assertion
    }
};

int main() {
    BEGINATOMIC
    (new Inserter)->start();
    (new Presser)->start();
    (new Observer)->start();
    ENDATOMIC
    return 0;
}
