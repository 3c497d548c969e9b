// Sets of bits.
#include <bitset>
#include <iostream>
#include <string>

int main() {
    std::bitset<100> sieve;
    sieve.set();
    sieve.reset(0).reset(1);
    for (std::size_t i = 2; i < 10; i++)
        if (sieve[i])
            for (std::size_t j = i * i; j < 100; j += i) sieve.reset(j);
    std::cout << sieve << '\n' << sieve.count() << '\n';
    std::bitset<12> left("110010101100"), right(0x3f0);
    std::cout << (left & right) << ' ' << (left | right) << ' ' << (left ^ right) << ' ' << ~left << ' ' << (left << 3) << ' ' << (left >> 2) << '\n';
    std::cout << left.to_ulong() << ' ' << right.to_string('.', '#') << ' ' << left.any() << left.all() << left.none() << '\n';
    return static_cast<int>(sieve.count());
}
