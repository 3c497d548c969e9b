// Own iterators and adaptors of iterators.
#include <algorithm>
#include <iostream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

class Range {
public:
    class Iterator {
    public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = int;
        using difference_type = std::ptrdiff_t;
        using pointer = const int *;
        using reference = int;
        explicit Iterator(int at = 0, int by = 1) : at(at), by(by) {}
        int operator*() const { return at; }
        Iterator &operator++() {
            at += by;
            return *this;
        }
        Iterator operator++(int) {
            Iterator old = *this;
            ++*this;
            return old;
        }
        bool operator==(const Iterator &other) const { return at == other.at; }
        bool operator!=(const Iterator &other) const { return at != other.at; }

    private:
        int at, by;
    };
    Range(int first, int last, int by) : first(first), last(last), by(by) {}
    Iterator begin() const { return Iterator(first, by); }
    Iterator end() const { return Iterator(last, by); }

private:
    int first, last, by;
};

int main() {
    Range range(0, 30, 3);
    std::vector<int> numbers(range.begin(), range.end());
    std::cout << std::accumulate(range.begin(), range.end(), 0) << ' ' << std::distance(range.begin(), range.end()) << '\n';
    std::copy(numbers.rbegin(), numbers.rend(), std::ostream_iterator<int>(std::cout, ","));
    std::istringstream in("5 6 7 x 8");
    std::vector<int> read{std::istream_iterator<int>(in), std::istream_iterator<int>()};
    std::cout << read.size() << '\n';
    std::vector<std::string> words{"move", "these", "words"}, moved;
    std::copy(std::make_move_iterator(words.begin()), std::make_move_iterator(words.end()), std::inserter(moved, moved.begin()));
    std::cout << moved.size() << words[0].size() << *std::prev(moved.end()) << '\n';
    auto found = std::find_if(range.begin(), range.end(), [](int n) { return n > 10; });
    return *found;
}
