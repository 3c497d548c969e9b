// expect: verified
// expect: privilege-violation flags: -DWRONG_LOCK
// expect: verified flags: -DN=2
//
// N cash dispensers share the accounts of a bank. A customer logs in, and deposits, withdraws or transfers; whatever the
// customer does, the balances change by exactly the amount. With WRONG_LOCK, withdrawing locks what the entry of an account
// points to instead of the entry: an ampersand is missing, and the entry is unlocked without having been locked.
#include <dampf.h>

#ifndef N
#define N 1
#endif
#define ACCOUNTS 2
#define AMOUNT 10

static int ledger[ACCOUNTS] = {100, 100};
static int *balances[ACCOUNTS] = {&ledger[0], &ledger[1]};

class Dispenser : public ICVMThread {
    void run() override {
        int action;
        RANGE(logged_user, 0, ACCOUNTS - 1);
        RANGE(action, 0, 2);
        switch (action) {
        case 0: deposit(); break;
        case 1: withdraw(); break;
        default: transfer(1 - logged_user);
        }
    }

    void deposit() {
        VLOCK(&balances[logged_user]);
        change(logged_user, AMOUNT);
        VUNLOCK(&balances[logged_user]);
    }

    void withdraw() {
#ifdef WRONG_LOCK
        VLOCK(balances[logged_user]);
#else
        VLOCK(&balances[logged_user]);
#endif
        change(logged_user, -AMOUNT);
        VUNLOCK(&balances[logged_user]); // fault: privilege-violation
    }

    // Accounts are locked in their order, whatever the direction of the transfer.
    void transfer(int receiver) {
        VLOCK(&balances[0]);
        VLOCK(&balances[1]);
        change(logged_user, -AMOUNT);
        change(receiver, AMOUNT);
        VUNLOCK(&balances[1]);
        VUNLOCK(&balances[0]);
    }

    static void change(int account, int amount) {
        int *balance = balances[account];
        int before = *balance;
        *balance += amount;
        VASSERT(*balance == before + amount);
    }

    int logged_user = 0;
};

int main() {
    BEGINATOMIC
    for (int i = 0; i < N; i++) (new Dispenser)->start();
    ENDATOMIC
    return 0;
}
