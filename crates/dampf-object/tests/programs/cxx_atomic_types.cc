// expect: verified
// flags: -std=c++20
// Atomics of pointers, structures, floating-point numbers and references.
#include <atomic>
#include <cassert>
#include <memory>

struct Pair {
    int left, right;
    bool operator==(const Pair &) const = default;
};

int main() {
    int numbers[3] = {1, 2, 3};
    std::atomic<int *> pointer{numbers};
    assert(*(++pointer) == 2 && pointer.fetch_add(1) == numbers + 1);
    std::atomic<Pair> pair{Pair{1, 2}};
    Pair expected{1, 2};
    assert(pair.compare_exchange_strong(expected, Pair{3, 4}));
    assert(pair.load() == (Pair{3, 4}));
    std::atomic<double> real{1.5};
    assert(real.fetch_add(2.0) == 1.5 && real == 3.5);
    std::atomic_ref<int> reference(numbers[0]);
    assert(reference.exchange(9) == 1 && numbers[0] == 9);
    std::atomic<bool> flag{false};
    assert(!flag.exchange(true) && flag);
    std::atomic<std::shared_ptr<int>> shared{std::make_shared<int>(4)};
    assert(*shared.load() == 4);
    return 0;
}
