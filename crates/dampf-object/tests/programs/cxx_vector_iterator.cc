// expect: verified
// expect: use-after-free flags: -DBUG
// Growing a vector moves its elements.
#include <cassert>
#include <vector>

int main() {
    std::vector<int> numbers(1, 7);
#ifndef BUG
    numbers.reserve(2);
#endif
    int *first = &numbers[0];
    numbers.push_back(8);
    assert(*first == 7); // fault: use-after-free
    return 0;
}
