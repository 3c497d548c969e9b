// Random engines; their sequences are fixed by the standard.
#include <algorithm>
#include <iostream>
#include <numeric>
#include <random>
#include <vector>

int main() {
    std::mt19937 twister(42);
    std::mt19937_64 wide(42);
    std::minstd_rand simple(7);
    std::ranlux24 luxury(3);
    std::knuth_b knuth(5);
    for (int i = 0; i < 5; i++) std::cout << twister() << ' ' << wide() << ' ' << simple() << ' ' << luxury() << ' ' << knuth() << '\n';
    twister.discard(9990);
    std::cout << twister() << '\n';
    std::uniform_int_distribution<int> dice(1, 6);
    std::normal_distribution<double> normal(10, 2);
    std::vector<int> counts(7);
    double sum = 0;
    for (int i = 0; i < 600; i++) {
        counts[static_cast<std::size_t>(dice(twister))]++;
        sum += normal(twister);
    }
    for (int count : counts) std::cout << count << ' ';
    std::cout << sum / 600 << '\n';
    std::vector<int> deck(20);
    std::iota(deck.begin(), deck.end(), 0);
    std::shuffle(deck.begin(), deck.end(), twister);
    for (int card : deck) std::cout << card << ' ';
    std::discrete_distribution<int> weighted{1, 2, 4};
    std::bernoulli_distribution coin(0.25);
    int heads = 0;
    for (int i = 0; i < 100; i++) heads += coin(simple) + weighted(simple);
    std::cout << heads << '\n';
    return heads % 256;
}
