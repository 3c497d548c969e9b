// flags: -std=c++20
// Generators made of coroutines.
#include <coroutine>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <utility>

template <typename T>
class Generator {
public:
    struct promise_type {
        T current;
        std::exception_ptr error;
        Generator get_return_object() { return Generator(std::coroutine_handle<promise_type>::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(T value) {
            current = std::move(value);
            return {};
        }
        void return_void() {}
        void unhandled_exception() { error = std::current_exception(); }
    };
    explicit Generator(std::coroutine_handle<promise_type> handle) : handle(handle) {}
    Generator(Generator &&other) noexcept : handle(std::exchange(other.handle, {})) {}
    ~Generator() {
        if (handle) handle.destroy();
    }
    bool next() {
        handle.resume();
        if (handle.promise().error) std::rethrow_exception(handle.promise().error);
        return !handle.done();
    }
    const T &value() const { return handle.promise().current; }

private:
    std::coroutine_handle<promise_type> handle;
};

static Generator<unsigned long> fibonacci() {
    unsigned long a = 0, b = 1;
    while (true) {
        co_yield a;
        a = std::exchange(b, a + b);
    }
}

static Generator<int> failing(int count) {
    for (int i = 0; i < count; i++) co_yield i * i;
    throw std::runtime_error("no more");
}

int main() {
    auto numbers = fibonacci();
    for (int i = 0; i < 20 && numbers.next(); i++) std::cout << numbers.value() << ' ';
    std::cout << '\n';
    int sum = 0;
    auto squares = failing(6);
    try {
        while (squares.next()) sum += squares.value();
    } catch (const std::runtime_error &error) {
        std::cout << error.what() << ' ' << sum << '\n';
    }
    return sum;
}
