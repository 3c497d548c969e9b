// expect: verified
// expect: data-race flags: -DBUG
// expect: data-race flags: -DBUG -O0
// A container is shared data like any other.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

static std::vector<int> numbers;
static std::mutex mutex;

static void add(int number) {
#ifndef BUG
    std::lock_guard<std::mutex> guard(mutex);
#endif
    numbers.push_back(number); // fault: data-race
}

int main() {
    numbers.reserve(2);
    std::thread thread(add, 1);
    add(2);
    thread.join();
    assert(numbers.size() == 2);
    return 0;
}
