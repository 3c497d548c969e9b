// expect: verified
// expect: data-race flags: -DBUG
// std::thread with a lambda, arguments by value and by reference.
#include <cassert>
#include <functional>
#include <thread>

static void add(int &sum, int number) {
    sum += number; // fault: data-race
}

int main() {
    int sum = 0;
    std::thread first(add, std::ref(sum), 3);
#ifndef BUG
    first.join();
#endif
    std::thread second([&sum] { sum *= 2; }); // fault: data-race
    second.join();
#ifdef BUG
    first.join();
#else
    assert(sum == 6);
    assert(!first.joinable());
#endif
    return 0;
}
