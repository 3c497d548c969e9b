// expect: verified
// expect: assertion flags: -DBUG
// An account is looked at and changed under one lock, or under two in a row.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

struct Account {
    int number;
    int balance;
};

static std::vector<Account> accounts;
static std::mutex mutex;

static void transfer(int from, int to, int amount) {
    std::unique_lock<std::mutex> lock(mutex);
    int balance = accounts[from].balance;
#ifdef BUG
    lock.unlock();
    lock.lock();
#endif
    if (balance >= amount) {
        accounts[from].balance -= amount;
        accounts[to].balance += amount;
    }
}

int main() {
    accounts.push_back({1, 10});
    accounts.push_back({2, 0});
    std::thread first(transfer, 0, 1, 7), second(transfer, 0, 1, 6);
    first.join();
    second.join();
    assert(accounts[0].balance >= 0); // fault: assertion
}
