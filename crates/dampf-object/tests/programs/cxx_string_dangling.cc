// expect: use-after-free
// The characters of a string end with it.
#include <string>

__attribute__((noinline)) static const char *text() {
    std::string long_enough_for_the_heap(100, 'x');
    const char *volatile characters = long_enough_for_the_heap.c_str();
    return characters;
}

int main() {
    return text()[50] == 'y'; // fault: use-after-free
}
