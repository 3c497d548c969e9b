// flags: -std=c++20
// expect: verified
// expect: data-race flags: -DBUG
//
// std::barrier with a completion: two threads write in one phase and read what the other wrote in the next. BUG arrives
// and does not wait.
#include <barrier>
#include <cassert>
#include <thread>

static int phases;
static void complete() noexcept { ++phases; }
static std::barrier barrier(2, complete);
static int values[2];

static void work(int index) {
    values[index] = index + 1; // fault: data-race
#ifdef BUG
    (void)barrier.arrive();
#else
    barrier.arrive_and_wait();
#endif
    assert(values[0] + values[1] == 3); // fault: data-race
#ifndef BUG
    barrier.arrive_and_wait();
    values[index] = 0;
#endif
}

int main() {
    std::thread other(work, 0);
    work(1);
    other.join();
#ifndef BUG
    assert(phases == 2);
#endif
}
