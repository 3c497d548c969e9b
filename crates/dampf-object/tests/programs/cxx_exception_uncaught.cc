// expect: uncaught-exception
// Nobody catches.
#include <stdexcept>

int main() {
    volatile int number = 1;
    if (number == 1) throw std::runtime_error("nobody catches this"); // fault: uncaught-exception
    return 0;
}
