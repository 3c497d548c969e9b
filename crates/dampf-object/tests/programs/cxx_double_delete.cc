// expect: double-free
// Two owners of one object.
#include <memory>

int main() {
    int *volatile number = new int(1);
    std::unique_ptr<int> first(number);
    std::unique_ptr<int> second(number);
    first.reset();
    second.reset(); // fault: double-free
    return 0;
}
