// Threads that wait for each other and for main: many runs, but not as many as a library that spins before it sleeps would make of them.
// flags: -std=c++20
// expect: verified
// expect: deadlock flags: -DTOO_MANY
#include <cassert>
#include <latch>
#include <thread>
#include <vector>

#ifdef TOO_MANY
std::latch all_here(4);
#else
std::latch all_here(3);
#endif
int arrived[3];

int main() {
    std::vector<std::thread> threads;
    for (int number = 0; number < 3; number++) {
        threads.emplace_back([number] {
            arrived[number] = 1;
            all_here.arrive_and_wait();
            assert(arrived[0] && arrived[1] && arrived[2]);
        });
    }
    for (auto &thread : threads) thread.join();
}
