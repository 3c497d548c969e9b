// expect: verified
// An exception that a task throws arrives where its result is asked for.
#include <cassert>
#include <future>
#include <numeric>
#include <stdexcept>
#include <vector>

static int work(int first) {
    if (first == 2) throw std::runtime_error("two");
    std::vector<int> numbers(10);
    std::iota(numbers.begin(), numbers.end(), first);
    return std::accumulate(numbers.begin(), numbers.end(), 0);
}

int main() {
    auto failing = std::async(std::launch::async, work, 2);
    int sum = work(1);
    bool caught = false;
    try {
        sum += failing.get();
    } catch (const std::runtime_error &) {
        caught = true;
    }
    assert(sum == 55 && caught);
    return 0;
}
