// std::map, std::multimap, std::set: ordered containers.
#include <iostream>
#include <map>
#include <set>
#include <string>

int main() {
    std::map<std::string, int> counts;
    for (const char *word : {"pear", "apple", "fig", "apple", "pear", "pear", "plum"}) counts[word]++;
    for (const auto &[word, count] : counts) std::cout << word << ' ' << count << '\n';
    counts.erase("fig");
    std::cout << counts.count("fig") << ' ' << counts.lower_bound("b")->first << ' ' << counts.rbegin()->second << '\n';
    std::multimap<int, char> grades{{2, 'b'}, {1, 'a'}, {2, 'c'}, {3, 'd'}, {2, 'e'}};
    auto [first, last] = grades.equal_range(2);
    for (auto at = first; at != last; ++at) std::cout << at->second;
    std::set<int, std::greater<int>> numbers;
    for (int i = 0; i < 50; i++) numbers.insert(i * 7 % 23);
    for (int number : numbers) std::cout << ' ' << number;
    auto node = counts.extract("pear");
    node.key() = "quince";
    counts.insert(std::move(node));
    std::cout << '\n' << counts.rbegin()->first << '\n';
    return static_cast<int>(numbers.size());
}
