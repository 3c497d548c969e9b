// expect: assertion
// expect: verified flags: -DSTRONG
// expect: verified flags: -DLOOP
//
// A weak exchange may fail although the expected value is there, also where there is no other thread.
#include <atomic>
#include <cassert>

static std::atomic<int> value{3};

int main() {
    int expected = 3;
#if defined STRONG
    bool done = value.compare_exchange_strong(expected, 4);
#elif defined LOOP
    while (!value.compare_exchange_weak(expected, 4)) assert(expected == 3);
    bool done = true;
#else
    bool done = value.compare_exchange_weak(expected, 4);
#endif
    assert(done); // fault: assertion
    assert(value == 4);
}
