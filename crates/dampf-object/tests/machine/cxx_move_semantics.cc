// Copies and moves, counted.
#include <iostream>
#include <string>
#include <utility>
#include <vector>

struct Counter {
    static inline int copies = 0, moves = 0, alive = 0;
    std::string text;
    explicit Counter(std::string text) : text(std::move(text)) { alive++; }
    Counter(const Counter &other) : text(other.text) {
        copies++;
        alive++;
    }
    Counter(Counter &&other) noexcept : text(std::move(other.text)) {
        moves++;
        alive++;
    }
    Counter &operator=(Counter other) noexcept {
        std::swap(text, other.text);
        return *this;
    }
    ~Counter() { alive--; }
};

static Counter make(int number) {
    Counter counter("number " + std::to_string(number));
    return counter;
}

template <typename T>
static const char *category(T &&) {
    return std::is_lvalue_reference_v<T> ? "lvalue" : "rvalue";
}

int main() {
    {
        std::vector<Counter> counters;
        counters.reserve(1);
        for (int i = 0; i < 5; i++) counters.push_back(make(i));
        std::cout << Counter::copies << ' ' << Counter::moves << ' ' << Counter::alive << '\n';
        Counter first = counters[0], taken = std::move(counters[1]);
        first = taken;
        first = make(9);
        std::cout << Counter::copies << ' ' << Counter::moves << ' ' << first.text << counters[1].text.size() << '\n';
        std::cout << category(first) << category(make(1)) << category(std::move(taken)) << '\n';
    }
    std::cout << Counter::alive << '\n';
    return Counter::moves;
}
