// Two pairs of threads that have nothing to do with each other.
#include <atomic>
#include <cassert>
#include <thread>

#ifndef ROUNDS
#define ROUNDS 3
#endif

std::atomic<int> one, other;

void count(std::atomic<int>& counter) {
    for (int round = 0; round < ROUNDS; ++round) counter.fetch_add(1);
}

int main() {
    std::thread first(count, std::ref(one)), second(count, std::ref(one));
    std::thread third(count, std::ref(other)), fourth(count, std::ref(other));
    first.join();
    second.join();
    third.join();
    fourth.join();
    assert(one == 2 * ROUNDS && other == 2 * ROUNDS);
}
