// flags: -DTELLERS=3 -DTRANSFERS=2
// expect: verified
// expect: deadlock flags: -DBUG_LOCK_ORDER
// expect: data-race flags: -DBUG_AUDIT_UNLOCKED
// expect: assertion flags: -DBUG_LOOKS_THEN_TAKES
// expect: deadlock flags: -DBUG_EARLY_RETURN
//
// Tellers move money between accounts, each of which has a lock. An auditor adds everything up, with all locks. Seeded:
//
//  BUG_LOCK_ORDER         in a last transfer the lock of the account that is paid from comes first
//  BUG_AUDIT_UNLOCKED     the auditor takes the lock of the first account only
//  BUG_LOOKS_THEN_TAKES   whether there is enough is asked with the lock, and the money is taken with it again
//  BUG_EARLY_RETURN       where there is not enough for a last transfer, a lock is kept
#include <cassert>
#include <functional>
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
    bool transfer(int from, int to, int amount, bool is_last) {
        (void)is_last;
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
        bool is_in_order = is_last || from < to;
        Account &first = is_in_order ? payer : payee, &second = is_in_order ? payee : payer;
#else
        Account &first = from < to ? payer : payee, &second = from < to ? payee : payer;
#endif
        first.mutex.lock();
        second.mutex.lock();
#ifndef BUG_LOOKS_THEN_TAKES
        if (payer.balance < amount) {
            payer.refused++;
            second.mutex.unlock();
#ifdef BUG_EARLY_RETURN
            if (is_last) return false;
#endif
            first.mutex.unlock();
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
        locked = 1;
#endif
        for (int i = 0; i < locked; i++) accounts[i].mutex.lock();
        for (Account &account : accounts) sum += account.balance;
        for (int i = 0; i < locked; i++) accounts[i].mutex.unlock();
        return sum;
    }

private:
    Account accounts[ACCOUNTS];
};

// Teller i pays from account i to the next one, and then from that one.
static void serve(Bank &bank, int teller) {
    for (int i = 0; i < TRANSFERS; i++) {
        int from = (teller + i) % ACCOUNTS;
        bank.transfer(from, (from + 1) % ACCOUNTS, teller == 1 ? BALANCE + 5 : BALANCE - 3, i == TRANSFERS - 1);
    }
}

int main() {
    Bank bank;
    std::vector<std::thread> tellers;
    for (int i = 0; i < TELLERS; i++) tellers.emplace_back(serve, std::ref(bank), i);
    std::thread auditor([&bank] { assert(bank.audit() == ACCOUNTS * BALANCE); });
    for (std::thread &teller : tellers) teller.join();
    auditor.join();
    assert(bank.audit() == ACCOUNTS * BALANCE);
    return 0;
}
