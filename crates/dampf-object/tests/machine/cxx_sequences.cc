// std::list, std::deque, std::forward_list, std::array.
#include <array>
#include <deque>
#include <forward_list>
#include <iostream>
#include <iterator>
#include <list>

template <typename Container>
static void show(const Container &container) {
    for (const auto &element : container) std::cout << element << ' ';
    std::cout << '\n';
}

int main() {
    std::list<int> list{5, 3, 9, 1, 3}, other{2, 4};
    list.sort();
    list.unique();
    list.splice(std::next(list.begin()), other);
    list.remove_if([](int number) { return number == 9; });
    list.reverse();
    show(list);
    std::deque<char> deque;
    for (char c = 'a'; c < 'k'; c++) c % 2 ? deque.push_back(c) : deque.push_front(c);
    deque.erase(deque.begin() + 3);
    deque.insert(deque.begin() + 2, 4, '-');
    show(deque);
    std::forward_list<int> forward{3, 1, 2};
    forward.sort();
    forward.insert_after(forward.before_begin(), 0);
    forward.merge(std::forward_list<int>{1, 5});
    show(forward);
    std::array<double, 4> array{0.5, 1.5};
    array.back() = 2.25;
    show(array);
    return static_cast<int>(deque.size() + list.size());
}
