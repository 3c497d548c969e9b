// expect: verified
// flags: -std=c++20
// A barrier with something to do when all have arrived.
#include <barrier>
#include <cassert>
#include <thread>

static int phases;
static void complete() noexcept {
    phases++;
}

int main() {
    std::barrier barrier(2, complete);
    std::jthread thread([&barrier] { barrier.arrive_and_wait(); });
    barrier.arrive_and_wait();
    assert(phases == 1);
    return 0;
}
