// Throwing and catching across frames, with destructors on the way.
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

struct Tracer {
    int number;
    explicit Tracer(int number) : number(number) { std::cout << '+' << number; }
    ~Tracer() { std::cout << '-' << number << (std::uncaught_exceptions() ? "!" : ""); }
};

struct Special : std::runtime_error {
    int code;
    Special(int code) : std::runtime_error("special " + std::to_string(code)), code(code) {}
};

static int descend(int depth) {
    Tracer tracer(depth);
    if (depth == 0) throw Special(7);
    return descend(depth - 1) + 1;
}

static void nested() {
    try {
        descend(2);
    } catch (...) {
        std::throw_with_nested(std::logic_error("outer"));
    }
}

int main() {
    int code = 0;
    try {
        descend(4);
    } catch (const Special &special) {
        std::cout << '\n' << special.what() << '\n';
        code = special.code;
    }
    try {
        nested();
    } catch (const std::exception &outer) {
        std::cout << '\n' << outer.what();
        try {
            std::rethrow_if_nested(outer);
        } catch (const std::exception &inner) {
            std::cout << " around " << inner.what() << '\n';
        }
    }
    std::exception_ptr kept;
    try {
        throw std::make_unique<int>(5);
    } catch (...) {
        kept = std::current_exception();
    }
    try {
        std::rethrow_exception(kept);
    } catch (const std::unique_ptr<int> &pointer) {
        code += *pointer;
    }
    struct Member {
        Tracer first{100}, second{200};
        Member() { throw 1; }
    };
    try {
        Member member;
    } catch (int number) {
        code += number;
    }
    std::cout << '\n';
    return code;
}
