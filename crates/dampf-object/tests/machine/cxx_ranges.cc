// flags: -std=c++20
// Ranges and views.
#include <algorithm>
#include <iostream>
#include <ranges>
#include <string>
#include <vector>

int main() {
    auto squares = std::views::iota(1) | std::views::transform([](int n) { return n * n; }) | std::views::filter([](int n) { return n % 3 == 1; })
                   | std::views::take(8);
    int sum = 0;
    for (int square : squares) {
        std::cout << square << ' ';
        sum += square;
    }
    std::vector<std::string> words{"delta", "alpha", "charlie", "bravo"};
    std::ranges::sort(words, {}, &std::string::size);
    for (const auto &word : words | std::views::reverse | std::views::drop(1)) std::cout << word << ' ';
    for (auto part : std::views::split(std::string_view("a,bb,ccc"), ',')) std::cout << std::ranges::distance(part) << ' ';
    std::cout << std::ranges::max(words) << ' ' << *std::ranges::find(words, "bravo") << '\n';
    return sum % 256;
}
