// expect: verified
// expect: verified flags: -DUNTIL
// expect: assertion flags: -DLONGER
// Whoever has slept finds that time has passed.
#include <cassert>
#include <chrono>
#include <thread>

using namespace std::chrono_literals;

int main() {
    std::thread thread([] {
#ifdef UNTIL
        std::this_thread::sleep_until(std::chrono::system_clock::now() + 2s);
#else
        auto start = std::chrono::steady_clock::now();
        std::this_thread::sleep_for(2s);
        auto passed = std::chrono::steady_clock::now() - start;
#ifdef LONGER
        assert(passed >= 3s); // fault: assertion
#else
        assert(passed >= 2s);
#endif
#endif
    });
    thread.join();
    for (int round = 0; round < 3; round++) std::this_thread::sleep_for(1ms);
}
