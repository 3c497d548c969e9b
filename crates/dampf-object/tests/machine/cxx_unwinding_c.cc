// Exceptions through C callbacks: qsort with a comparison that throws.
#include <cstdlib>
#include <iostream>

static int calls;

extern "C" int compare(const void *left, const void *right) {
    if (++calls == 20) throw calls;
    int a = *static_cast<const int *>(left), b = *static_cast<const int *>(right);
    return (a > b) - (a < b);
}

int main() {
    int numbers[30];
    for (int i = 0; i < 30; i++) numbers[i] = i * 37 % 30;
    try {
        std::qsort(numbers, 30, sizeof *numbers, compare);
        std::cout << "sorted\n";
    } catch (int at) {
        std::cout << "thrown at " << at << '\n';
    }
    std::qsort(numbers, 30, sizeof *numbers, compare);
    for (int number : numbers) std::cout << number << ' ';
    std::cout << '\n';
    return calls % 256;
}
