// expect: verified
// expect: assertion flags: -DBUG
// Two threads sell from a stock by name; what is left is read and written under one lock, or under two in a row.
#include <cassert>
#include <map>
#include <mutex>
#include <string>
#include <thread>

static std::map<std::string, int> stock;
static std::mutex mutex;

static void sell(const char *what) {
    std::unique_lock<std::mutex> lock(mutex);
    int left = stock[what];
#ifdef BUG
    lock.unlock();
    lock.lock();
#endif
    stock[what] = left - 1;
}

int main() {
    stock["apple"] = 2;
    stock["pear"] = 1;
    std::thread first(sell, "apple"), second(sell, "apple");
    first.join();
    second.join();
    assert(stock["apple"] == 0); // fault: assertion
}
