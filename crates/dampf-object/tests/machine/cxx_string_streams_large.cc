// Large outputs and inputs through streams.
#include <iostream>
#include <sstream>
#include <string>

int main() {
    std::ostringstream out;
    for (int i = 0; i < 2000; i++) out << i << (i % 7 ? ' ' : '\n');
    std::string text = out.str();
    std::istringstream in(text);
    long sum = 0, lines = 0;
    for (std::string line; std::getline(in, line); lines++) {
        std::istringstream words(line);
        for (long number; words >> number;) sum += number;
    }
    std::cout << text.size() << ' ' << lines << ' ' << sum << '\n' << text.substr(0, 500) << '\n';
    return static_cast<int>(lines % 256);
}
