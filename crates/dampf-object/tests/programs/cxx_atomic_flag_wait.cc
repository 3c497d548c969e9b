// expect: verified
// flags: -std=c++20
// Waiting for a flag.
#include <atomic>
#include <cassert>
#include <thread>

int main() {
    std::atomic_flag flag;
    std::jthread thread([&flag] {
        flag.test_and_set();
        flag.notify_all();
    });
    flag.wait(false);
    assert(flag.test());
    return 0;
}
