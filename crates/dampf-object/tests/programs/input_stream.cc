// expect: verified options: --file input.txt --stdin input.txt
// expect: assertion flags: -DWRONG options: --file input.txt --stdin input.txt
// Streams of the C++ library read a file that the program was given, and standard input.
#include <cassert>
#include <fstream>
#include <iostream>
#include <string>

int main() {
    std::ifstream file("input.txt");
    assert(file.is_open());
    int one = 0, two = 0;
    file >> one >> two;
    std::string line;
    std::getline(file, line);
    std::getline(file, line);
#ifdef WRONG
    assert(line.empty()); // fault: assertion
#endif
    assert(one == 20 && two == 22 && line == "the second line." && !std::getline(file, line));
    std::cin >> two >> one;
    assert(one == 22 && two == 20);
}
