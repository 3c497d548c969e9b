// expect: verified
// expect: deadlock flags: -DBUG
// flags: -std=c++20
// Waiting for an atomic to change.
#include <atomic>
#include <cassert>
#include <thread>

int main() {
    std::atomic<int> stage{0};
    int value = 0;
    std::jthread thread([&] {
        value = 5;
        stage.store(1);
#ifndef BUG
        stage.notify_one();
#endif
    });
    stage.wait(0);
    assert(value == 5);
    return 0;
}
