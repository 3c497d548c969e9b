// flags: -std=c++20
// expect: verified
// expect: deadlock flags: -DBUG
//
// std::latch: two workers each do their part, main waits for both and sees both. BUG expects one more.
#include <cassert>
#include <latch>
#include <thread>

#ifdef BUG
static std::latch latch(3);
#else
static std::latch latch(2);
#endif
static int parts[2];

static void work(int index) {
    parts[index] = 1;
    latch.count_down();
}

int main() {
    std::jthread first(work, 0), second(work, 1);
    latch.wait();
    assert(parts[0] + parts[1] == 2);
}
