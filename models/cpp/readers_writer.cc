// expect: verified
// expect: data-race flags: -DREADERS_WRITE
//
// A table that many read and one writes. With READERS_WRITE, readers remember their last answer in the table, holding the lock
// for reading only.
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

#ifndef READERS
#define READERS 2
#endif

class Table {
public:
    void set(int left, int right) {
        std::unique_lock lock(mutex);
        this->left = left;
        this->right = right;
    }
    int sum() {
        std::shared_lock lock(mutex);
        int sum = left + right;
#ifdef READERS_WRITE
        last_sum = sum; // fault: data-race
#endif
        return sum;
    }

private:
    std::shared_mutex mutex;
    int left = 5, right = 5;
#ifdef READERS_WRITE
    int last_sum = 0;
#endif
};

int main() {
    Table table;
    std::thread readers[READERS];
    for (std::thread &reader : readers) {
        reader = std::thread([&table] {
            int sum = table.sum();
            assert(sum == 10);
        });
    }
    table.set(3, 7);
    for (std::thread &reader : readers) reader.join();
    return 0;
}
