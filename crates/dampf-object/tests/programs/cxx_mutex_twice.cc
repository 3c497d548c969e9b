// expect: deadlock
// A function that locks calls another that does.
#include <mutex>

class Account {
public:
    void add(int amount) {
        std::lock_guard<std::mutex> guard(mutex);
        balance += amount;
    }
    void add_twice(int amount) {
        std::lock_guard<std::mutex> guard(mutex);
        add(amount);
        add(amount);
    }

private:
    std::mutex mutex;
    int balance = 0;
};

int main() {
    Account account;
    account.add_twice(1);
    return 0;
}
