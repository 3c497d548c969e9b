// expect: heap-overflow
// operator[] does not look.
#include <cstddef>
#include <vector>

int main() {
    std::vector<int> numbers(3);
    volatile std::size_t index = 3;
    return numbers[index] == 5; // fault: heap-overflow
}
