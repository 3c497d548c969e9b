// The algorithms of the standard library.
#include <algorithm>
#include <iostream>
#include <iterator>
#include <numeric>
#include <vector>

static void show(const std::vector<int> &numbers) {
    std::copy(numbers.begin(), numbers.end(), std::ostream_iterator<int>(std::cout, " "));
    std::cout << '\n';
}

int main() {
    std::vector<int> numbers(20), more;
    std::iota(numbers.begin(), numbers.end(), 1);
    std::transform(numbers.begin(), numbers.end(), numbers.begin(), [](int n) { return n * 7 % 19; });
    show(numbers);
    std::partial_sort(numbers.begin(), numbers.begin() + 5, numbers.end());
    std::nth_element(numbers.begin() + 5, numbers.begin() + 10, numbers.end());
    std::cout << numbers[10] << ' ' << *std::max_element(numbers.begin(), numbers.end()) << '\n';
    std::sort(numbers.begin(), numbers.end());
    std::unique_copy(numbers.begin(), numbers.end(), std::back_inserter(more));
    show(more);
    std::rotate(more.begin(), more.begin() + 4, more.end());
    std::reverse(more.begin() + 2, more.begin() + 9);
    show(more);
    auto middle = std::stable_partition(more.begin(), more.end(), [](int n) { return n % 3 == 0; });
    std::cout << middle - more.begin() << ' ' << std::count_if(more.begin(), more.end(), [](int n) { return n > 9; }) << '\n';
    std::make_heap(more.begin(), more.end());
    std::pop_heap(more.begin(), more.end());
    std::sort_heap(more.begin(), more.end() - 1);
    show(more);
    int permutations = 0;
    std::vector<int> few{1, 2, 3, 3};
    do {
        permutations++;
        show(few);
    } while (std::next_permutation(few.begin(), few.end()));
    std::vector<int> both;
    std::set_intersection(numbers.begin(), numbers.end(), few.begin(), few.end(), std::back_inserter(both));
    show(both);
    std::cout << std::binary_search(numbers.begin(), numbers.end(), 7) << std::inner_product(few.begin(), few.end(), few.begin(), 0)
              << std::adjacent_find(numbers.begin(), numbers.end()) - numbers.begin() << '\n';
    return permutations;
}
