// Own number types: rational and big numbers.
#include <algorithm>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

class Rational {
public:
    Rational(long top, long bottom = 1) : top(top), bottom(bottom) {
        long divisor = std::gcd(top, bottom);
        this->top /= divisor;
        this->bottom /= divisor;
    }
    Rational operator+(const Rational &other) const { return {top * other.bottom + other.top * bottom, bottom * other.bottom}; }
    Rational operator*(const Rational &other) const { return {top * other.top, bottom * other.bottom}; }
    explicit operator double() const { return static_cast<double>(top) / static_cast<double>(bottom); }
    friend std::ostream &operator<<(std::ostream &out, const Rational &rational) { return out << rational.top << '/' << rational.bottom; }

private:
    long top, bottom;
};

class Big {
public:
    Big(unsigned number) : digits{number} {}
    Big &operator*=(unsigned factor) {
        unsigned long carry = 0;
        for (unsigned &digit : digits) {
            carry += static_cast<unsigned long>(digit) * factor;
            digit = static_cast<unsigned>(carry % 1000000000);
            carry /= 1000000000;
        }
        if (carry) digits.push_back(static_cast<unsigned>(carry));
        return *this;
    }
    std::string text() const {
        std::string text = std::to_string(digits.back());
        for (auto at = digits.rbegin() + 1; at != digits.rend(); ++at) {
            std::string part = std::to_string(*at);
            text += std::string(9 - part.size(), '0') + part;
        }
        return text;
    }

private:
    std::vector<unsigned> digits;
};

int main() {
    Rational sum = 0;
    for (long i = 1; i < 15; i++) sum = sum + Rational(1, i) * Rational(1, 2);
    std::cout << sum << ' ' << static_cast<double>(sum) << '\n';
    Big factorial = 1;
    for (unsigned i = 1; i <= 100; i++) factorial *= i;
    std::cout << factorial.text() << '\n';
    std::string text = factorial.text();
    return static_cast<int>(std::count(text.begin(), text.end(), '0'));
}
