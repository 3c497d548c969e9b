// std::vector: growth, insertion, erasure, nesting.
#include <iostream>
#include <numeric>
#include <vector>

int main() {
    std::vector<int> numbers;
    for (int i = 0; i < 100; i++) numbers.push_back(i * i % 37);
    numbers.erase(numbers.begin() + 10, numbers.begin() + 20);
    numbers.insert(numbers.begin() + 5, 3, 99);
    numbers.insert(numbers.end(), {1, 2, 3});
    std::vector<std::vector<int>> rows;
    for (int i = 1; i < 8; i++) rows.emplace_back(numbers.begin(), numbers.begin() + i);
    rows.resize(5);
    rows.front().swap(rows.back());
    for (const auto &row : rows) {
        for (int number : row) std::cout << number << ' ';
        std::cout << '\n';
    }
    std::vector<bool> bits(20);
    for (std::size_t i = 0; i < bits.size(); i += 3) bits[i].flip();
    for (bool bit : bits) std::cout << bit;
    std::cout << '\n' << numbers.size() << ' ' << (numbers < rows[0]) << '\n';
    return std::accumulate(numbers.begin(), numbers.end(), 0) % 256;
}
