// expect: abort
// The program ends itself.
#include <exception>

int main() {
    std::terminate(); // fault: abort
}
