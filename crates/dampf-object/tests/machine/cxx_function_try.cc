// Exceptions in constructors, destructors, static initialisers and noexcept checks.
#include <iostream>
#include <new>
#include <stdexcept>

struct Thrower {
    Thrower(int number) {
        if (number > 2) throw std::range_error("too large");
    }
};
struct Holder {
    Thrower thrower;
    Holder(int number) try : thrower(number) {
        std::cout << "constructed " << number << '\n';
    } catch (const std::range_error &error) {
        std::cout << "translated " << error.what() << '\n';
        throw std::invalid_argument("translated");
    }
};

static int initialise(int tries) {
    static int attempts = 0;
    if (++attempts < tries) throw attempts;
    return attempts;
}
static int lazily() {
    static int value = initialise(3);
    return value;
}

int main() {
    int sum = 0;
    for (int i = 1; i < 5; i++) {
        try {
            Holder holder(i);
        } catch (const std::logic_error &) {
            sum += i;
        }
        try {
            sum += lazily();
        } catch (int attempt) {
            std::cout << "attempt " << attempt << '\n';
        }
    }
    std::cout << noexcept(initialise(1)) << noexcept(1 + 1) << '\n';
    try {
        Holder *many = new Holder[3]{1, 2, 3};
        delete[] many;
    } catch (const std::exception &error) {
        std::cout << error.what() << '\n';
    }
    return sum;
}
