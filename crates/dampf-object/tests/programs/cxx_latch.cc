// expect: verified
// expect: deadlock flags: -DCOUNT=3
// flags: -std=c++20
// A latch opens when enough have come.
#include <cassert>
#include <latch>
#include <thread>

#ifndef COUNT
#define COUNT 2
#endif

int main() {
    std::latch latch(COUNT);
    int written = 0;
    std::jthread thread([&] {
        written = 1;
        latch.count_down();
    });
    latch.arrive_and_wait();
    assert(written == 1);
    return 0;
}
