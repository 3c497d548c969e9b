// Templates: recursion, specialisation, packs, concepts of old.
#include <iostream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

template <unsigned N>
struct Fibonacci {
    static constexpr unsigned long value = Fibonacci<N - 1>::value + Fibonacci<N - 2>::value;
};
template <>
struct Fibonacci<0> {
    static constexpr unsigned long value = 0;
};
template <>
struct Fibonacci<1> {
    static constexpr unsigned long value = 1;
};

template <typename... Parts>
auto sum(Parts... parts) {
    return (parts + ... + 0);
}

template <typename Tuple, std::size_t... Indices>
void show(const Tuple &tuple, std::index_sequence<Indices...>) {
    ((std::cout << (Indices ? ", " : "(") << std::get<Indices>(tuple)), ...);
    std::cout << ")\n";
}

template <typename T>
std::string kind(const T &) {
    if constexpr (std::is_integral_v<T>) return "integral";
    else if constexpr (std::is_floating_point_v<T>) return "floating";
    else return "other";
}

constexpr int collatz(int number) {
    int steps = 0;
    for (; number != 1; steps++) number = number % 2 ? 3 * number + 1 : number / 2;
    return steps;
}
static_assert(collatz(27) == 111);

int main() {
    std::cout << Fibonacci<50>::value << ' ' << sum(1, 2.5, 3L) << '\n';
    auto tuple = std::tuple_cat(std::make_tuple(1, "two"), std::make_tuple(3.5, 'x'));
    show(tuple, std::make_index_sequence<4>());
    std::cout << kind(1) << kind(1.0f) << kind(std::string()) << '\n';
    auto [a, b, c, d] = tuple;
    std::cout << a << b << c << d << '\n';
    return collatz(27);
}
