// expect: uncaught-exception
// The library throws where it looks.
#include <cstddef>
#include <vector>

int main() {
    std::vector<int> numbers(3);
    volatile std::size_t index = 3;
    return numbers.at(index); // fault: uncaught-exception
}
