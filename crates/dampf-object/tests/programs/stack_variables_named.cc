// expect: assertion
// Variables of a function that threads work on by reference: trails name them.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Account {
    int number;
    int balances[3];
};

static thread_local int deposits[2];

static void deposit(Account &account, std::mutex &lock, int *observed) {
    std::lock_guard<std::mutex> guard(lock);
    account.balances[1] += 5;
    ++*observed;
}

static void serve() {
    std::mutex lock;
    Account account{};
    std::atomic<int> done{0};
    std::thread clerk([&] {
        deposit(account, lock, &deposits[1]);
        done = 1;
    });
    std::thread auditor([&, observed = &deposits[1]] {
        if (done) deposit(account, lock, observed);
    });
    clerk.join();
    auditor.join();
    assert(account.balances[1] == 5); // fault: assertion
}

int main() {
    serve();
}
