// Own types on streams, own buffers and manipulators.
#include <iostream>
#include <sstream>
#include <streambuf>

struct Fraction {
    int top, bottom;
};
static std::ostream &operator<<(std::ostream &out, const Fraction &fraction) {
    return out << fraction.top << '/' << fraction.bottom;
}
static std::istream &operator>>(std::istream &in, Fraction &fraction) {
    char slash;
    return in >> fraction.top >> slash >> fraction.bottom;
}
static std::ostream &arrow(std::ostream &out) {
    return out << " -> ";
}

class Counting : public std::streambuf {
public:
    int characters = 0;

protected:
    int_type overflow(int_type c) override {
        characters++;
        return c;
    }
};

int main() {
    std::istringstream in("3/4 10/20");
    Fraction first, second;
    in >> first >> second;
    std::cout << first << arrow << second << std::endl;
    Counting counting;
    std::ostream out(&counting);
    out << first << arrow << 12345 << 1.5;
    std::cout << counting.characters << '\n';
    return counting.characters;
}
