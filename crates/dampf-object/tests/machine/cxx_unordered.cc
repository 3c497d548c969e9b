// Hash containers, with their own hash.
#include <algorithm>
#include <iostream>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

struct Point {
    int x, y;
    bool operator==(const Point &other) const { return x == other.x && y == other.y; }
};
struct PointHash {
    std::size_t operator()(const Point &point) const { return static_cast<std::size_t>(point.x * 31 + point.y); }
};

int main() {
    std::unordered_set<Point, PointHash> seen;
    int x = 0, y = 0;
    for (int i = 0; i < 300; i++) {
        (i * i / 3 % 2 ? x : y) += i % 3 - 1;
        seen.insert({x % 5, y % 7});
    }
    std::unordered_map<std::string, std::vector<int>> groups;
    for (int i = 0; i < 60; i++) groups["key" + std::to_string(i % 9)].push_back(i);
    std::vector<std::string> keys;
    for (const auto &[key, values] : groups) keys.push_back(key + ":" + std::to_string(values.size()) + ":" + std::to_string(values.back()));
    std::sort(keys.begin(), keys.end());
    for (const auto &key : keys) std::cout << key << '\n';
    groups.rehash(100);
    std::cout << seen.size() << ' ' << groups.bucket_count() << ' ' << groups.at("key3").front() << '\n';
    return static_cast<int>(seen.size());
}
