// Formatting with streams.
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>

int main() {
    std::cout << std::setw(8) << 42 << std::setw(-8) << '|' << std::left << std::setw(8) << "left" << '|' << std::right << std::setfill('*') << std::setw(8) << "right\n";
    std::cout << std::hex << std::showbase << 255 << ' ' << std::oct << 8 << ' ' << std::dec << std::noshowbase << std::showpos << 7 << std::noshowpos << '\n';
    std::cout << std::fixed << std::setprecision(3) << 3.14159 << ' ' << std::scientific << 12345.678 << ' ' << std::defaultfloat << 1e-5 << ' ' << std::hexfloat << 1.5 << '\n';
    std::cout << std::boolalpha << true << ' ' << std::quoted("with \"quotes\"") << '\n';
    std::istringstream in("12 abc 3.5 0x1f rest of line\nnext");
    int number;
    std::string word, rest;
    double real;
    int hex;
    in >> number >> word >> real >> std::hex >> hex;
    std::getline(in, rest);
    std::cout << std::defaultfloat << number << word << real << ' ' << hex << rest << in.good() << '\n';
    int bad = 5;
    in >> bad;
    std::cout << in.fail() << ' ' << bad << '\n';
    in.clear();
    in >> word;
    std::cout << word << ' ' << in.eof() << '\n';
    std::stringstream both;
    for (int i = 0; i < 5; i++) both << i << ' ';
    int sum = 0;
    while (both >> number) sum += number;
    return sum;
}
