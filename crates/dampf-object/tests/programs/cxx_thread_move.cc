// expect: verified
// Threads can be moved, swapped and kept in containers.
#include <atomic>
#include <cassert>
#include <thread>
#include <utility>
#include <vector>

int main() {
    std::atomic<int> count{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++) threads.emplace_back([&count] { ++count; });
    std::thread taken = std::move(threads[0]);
    assert(!threads[0].joinable() && taken.joinable());
    swap(taken, threads[0]);
    for (std::thread &thread : threads) thread.join();
    assert(count == 2);
    return 0;
}
