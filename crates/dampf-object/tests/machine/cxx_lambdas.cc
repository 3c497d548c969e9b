// Lambdas, std::function, std::bind and friends.
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

static int apply(const std::function<int(int)> &function, int times, int value) {
    while (times-- > 0) value = function(value);
    return value;
}

struct Accumulator {
    int total = 0;
    int add(int number) { return total += number; }
};

int main() {
    int calls = 0;
    auto doubled = [&calls](int number) {
        calls++;
        return number * 2;
    };
    std::cout << apply(doubled, 5, 3) << ' ' << calls << '\n';
    std::function<unsigned long(unsigned)> factorial = [&](unsigned n) { return n ? n * factorial(n - 1) : 1ul; };
    std::cout << factorial(20) << '\n';
    Accumulator accumulator;
    auto add = std::bind(&Accumulator::add, &accumulator, std::placeholders::_1);
    for (int i = 0; i < 10; i++) add(i);
    std::map<std::string, std::function<double(double, double)>> operations{
        {"+", std::plus<>()}, {"-", std::minus<>()}, {"*", [](double a, double b) { return a * b; }}};
    for (const auto &[name, operation] : operations) std::cout << name << ' ' << operation(6, 4) << '\n';
    auto counter = [count = 0]() mutable { return ++count; };
    counter();
    auto copy = counter;
    std::cout << counter() << copy() << copy() << '\n';
    std::function<void()> empty;
    try {
        empty();
    } catch (const std::bad_function_call &error) {
        std::cout << error.what() << '\n';
    }
    std::vector<int> numbers{1, 2, 3};
    std::reference_wrapper<std::vector<int>> reference = numbers;
    reference.get().push_back(4);
    std::cout << std::invoke(&Accumulator::total, accumulator) << ' ' << numbers.size() << '\n';
    return accumulator.total;
}
