// Complex numbers and valarrays.
#include <complex>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <valarray>
#include <vector>

using Complex = std::complex<double>;

static void transform(std::vector<Complex> &values) {
    std::size_t size = values.size();
    if (size == 1) return;
    std::vector<Complex> even, odd;
    for (std::size_t i = 0; i < size; i++) (i % 2 ? odd : even).push_back(values[i]);
    transform(even);
    transform(odd);
    for (std::size_t i = 0; i < size / 2; i++) {
        Complex turned = std::polar(1.0, -2 * 3.14159265358979 * static_cast<double>(i) / static_cast<double>(size)) * odd[i];
        values[i] = even[i] + turned;
        values[i + size / 2] = even[i] - turned;
    }
}

int main() {
    std::vector<Complex> signal;
    for (int i = 0; i < 16; i++) signal.emplace_back(i % 5, 0);
    transform(signal);
    std::cout << std::fixed << std::setprecision(4);
    for (const Complex &value : signal) std::cout << std::abs(value) << ' ';
    std::cout << '\n' << std::exp(Complex(0, 1)) << std::sqrt(Complex(-4, 0)) << '\n';
    std::valarray<double> numbers{1, 4, 9, 16};
    numbers = std::sqrt(numbers) * 2.0 + 1.0;
    std::cout << numbers.sum() << ' ' << std::valarray<double>(numbers[std::slice(0, 2, 2)]).sum() << ' ' << std::gcd(84, 36) << ' ' << std::lcm(4, 6) << '\n';
    return static_cast<int>(numbers.sum());
}
