// flags: -std=c++20
// Concepts, three-way comparison, and other things of 2020.
#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <concepts>
#include <iostream>
#include <numbers>
#include <numeric>
#include <span>
#include <string>

template <typename T>
concept Shape = requires(const T &shape) {
    { shape.area() } -> std::convertible_to<double>;
};
struct Square {
    double side;
    double area() const { return side * side; }
};
struct Circle {
    double radius;
    double area() const { return std::numbers::pi * radius * radius; }
};
static double total(const Shape auto &...shapes) {
    return (shapes.area() + ...);
}

struct Version {
    int major_number, minor_number;
    auto operator<=>(const Version &) const = default;
};

static int sum(std::span<const int> numbers) {
    int sum = 0;
    for (int number : numbers.subspan(1)) sum += number;
    return sum;
}

int main() {
    std::cout << total(Square{2}, Circle{1}) << '\n';
    Version old{1, 9}, current{2, 0};
    std::cout << (old < current) << (old == current) << ((old <=> current) == std::strong_ordering::less) << '\n';
    std::array numbers{4, 8, 15, 16, 23, 42};
    std::cout << sum(numbers) << ' ' << std::popcount(0xffu) << ' ' << std::bit_ceil(100u) << ' ' << std::countl_zero(1u) << '\n';
    std::cout << std::bit_cast<unsigned>(1.0f) << ' ' << std::midpoint(3, 8) << ' ' << std::clamp(50, 0, 9) << '\n';
    constexpr auto square = []<typename T>(T value) consteval { return value * value; };
    std::cout << square(12) << ' ' << std::string("prefix").starts_with("pre") << '\n';
    return sum(numbers);
}
