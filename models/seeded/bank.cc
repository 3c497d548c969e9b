// flags: -DTELLERS=3 -DTRANSFERS=2
// expect: verified
// expect: deadlock flags: -DBUG_LOCK_ORDER
// expect: data-race flags: -DBUG_AUDIT_UNLOCKED
// expect: assertion flags: -DBUG_LOOKS_THEN_TAKES
// expect: deadlock flags: -DBUG_EARLY_RETURN
//
// Tellers move money between accounts, each of which has a lock. An auditor adds everything up, with all locks. Seeded:
//
//  BUG_LOCK_ORDER         the lock of the account that is paid from comes first
//  BUG_AUDIT_UNLOCKED     the auditor does not take the lock of the last account
//  BUG_LOOKS_THEN_TAKES   whether there is enough is asked with the lock, and the money is taken with it again
//  BUG_EARLY_RETURN       where there is not enough, a lock is kept
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

#ifndef TELLERS
#define TELLERS 2
#endif
#ifndef TRANSFERS
#define TRANSFERS 1
#endif
#define ACCOUNTS 3
#define BALANCE 10

class Account {
public:
    std::mutex mutex;
    int balance = BALANCE;
    int refused = 0;
};

class Bank {
public:
    // Moves money if there is enough.
    bool transfer(int from, int to, int amount) {
        Account &payer = accounts[from], &payee = accounts[to];
#ifdef BUG_LOOKS_THEN_TAKES
        {
            std::lock_guard<std::mutex> guard(payer.mutex);
            if (payer.balance < amount) {
                payer.refused++;
                return false;
            }
        }
#endif
#ifdef BUG_LOCK_ORDER
        Account &first = payer, &second = payee;
#else
        Account &first = from < to ? payer : payee, &second = from < to ? payee : payer;
#endif
        first.mutex.lock();
        second.mutex.lock();
#ifndef BUG_LOOKS_THEN_TAKES
        if (payer.balance < amount) {
            payer.refused++;
            second.mutex.unlock();
#ifndef BUG_EARLY_RETURN
            first.mutex.unlock();
#endif
            return false;
        }
#endif
        payer.balance -= amount;
        payee.balance += amount;
        assert(payer.balance >= 0);
        second.mutex.unlock();
        first.mutex.unlock();
        return true;
    }

    // What all accounts have together.
    int audit() {
        int sum = 0;
        int locked = ACCOUNTS;
#ifdef BUG_AUDIT_UNLOCKED
        locked--;
#endif
        for (int i = 0; i < locked; i++) accounts[i].mutex.lock();
        for (Account &account : accounts) sum += account.balance;
        for (int i = 0; i < locked; i++) accounts[i].mutex.unlock();
        return sum;
    }

private:
    Account accounts[ACCOUNTS];
};

static Bank bank;

// Teller i pays from account i to the next one, and then from that one.
static void serve(int teller) {
    for (int i = 0; i < TRANSFERS; i++) {
        int from = (teller + i) % ACCOUNTS;
        bank.transfer(from, (from + 1) % ACCOUNTS, teller == 1 ? BALANCE : BALANCE - 3);
    }
}

int main() {
    std::vector<std::thread> tellers;
    for (int i = 0; i < TELLERS; i++) tellers.emplace_back(serve, i);
    assert(bank.audit() == ACCOUNTS * BALANCE);
    for (std::thread &teller : tellers) teller.join();
    assert(bank.audit() == ACCOUNTS * BALANCE);
    return 0;
}
