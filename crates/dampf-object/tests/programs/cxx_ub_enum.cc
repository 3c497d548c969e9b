// expect: undefined-behaviour
// A value that an enumeration does not have.
#include <cstring>

enum Colour { red, green, blue };

int main() {
    Colour colour;
    volatile int number = 100;
    int copy = number;
    std::memcpy(&colour, &copy, sizeof colour);
    Colour *volatile at = &colour;
    return *at == green; // fault: undefined-behaviour
}
