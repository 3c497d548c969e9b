// Threads that are waited for one after the other.
#include <future>
#include <iostream>
#include <numeric>
#include <thread>
#include <vector>

int main() {
    std::vector<int> numbers(1000);
    std::iota(numbers.begin(), numbers.end(), 1);
    long sums[4] = {};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&numbers, &sums, i] { sums[i] = std::accumulate(numbers.begin() + i * 250, numbers.begin() + (i + 1) * 250, 0L); });
    for (auto &thread : threads) thread.join();
    for (long sum : sums) std::cout << sum << ' ';
    auto future = std::async(std::launch::async, [](int n) { return n * n; }, 12);
    std::cout << future.get() << '\n';
    return static_cast<int>(std::accumulate(sums, sums + 4, 0L) % 256);
}
