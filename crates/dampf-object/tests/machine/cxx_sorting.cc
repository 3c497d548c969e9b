// Own sorting algorithms, compared with the library's.
#include <algorithm>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

template <typename Iterator>
static void quick(Iterator first, Iterator last) {
    if (last - first < 2) return;
    auto pivot = *(first + (last - first) / 2);
    Iterator middle = std::partition(first, last, [&](const auto &element) { return element < pivot; });
    Iterator upper = std::partition(middle, last, [&](const auto &element) { return !(pivot < element); });
    quick(first, middle);
    quick(upper, last);
}

template <typename T>
static std::vector<T> merge_sort(std::vector<T> values) {
    if (values.size() < 2) return values;
    auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    auto left = merge_sort(std::vector<T>(values.begin(), middle)), right = merge_sort(std::vector<T>(middle, values.end()));
    std::vector<T> merged;
    std::merge(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(merged));
    return merged;
}

static void radix(std::vector<unsigned> &values) {
    for (int shift = 0; shift < 32; shift += 8) {
        std::vector<unsigned> buckets[256];
        for (unsigned value : values) buckets[value >> shift & 255].push_back(value);
        values.clear();
        for (const auto &bucket : buckets) values.insert(values.end(), bucket.begin(), bucket.end());
    }
}

int main() {
    std::vector<unsigned> numbers;
    std::vector<std::string> texts;
    unsigned state = 99;
    for (int i = 0; i < 300; i++) {
        state = state * 1664525 + 1013904223;
        numbers.push_back(state >> 4);
        texts.push_back(std::to_string(state % 1000));
    }
    auto expected = numbers, quicker = numbers, slower = numbers;
    std::sort(expected.begin(), expected.end());
    quick(quicker.begin(), quicker.end());
    radix(slower);
    std::cout << (quicker == expected) << (merge_sort(numbers) == expected) << (slower == expected) << '\n';
    auto sorted = texts;
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) { return a.size() < b.size(); });
    for (std::size_t i = 0; i < sorted.size(); i += 25) std::cout << sorted[i] << ' ';
    quick(texts.begin(), texts.end());
    std::cout << texts.front() << ' ' << texts.back() << '\n';
    return static_cast<int>(expected[150] % 256);
}
