// expect: verified
// expect: assertion flags: -DBUG
// The library locks a mutex of its own around atomic operations on shared pointers; others may come between any two of them.
#include <cassert>
#include <memory>
#include <thread>

static std::shared_ptr<int> shared;

int main() {
    auto first = std::make_shared<int>(1), second = std::make_shared<int>(2);
    std::thread thread([&] {
        std::atomic_store(&shared, first);
        std::atomic_store(&shared, second);
    });
    auto seen = std::atomic_load(&shared);
#ifdef BUG
    assert(!seen || *seen == 2); // fault: assertion
#endif
    assert(!seen || *seen == 1 || *seen == 2);
    thread.join();
    return 0;
}
