// expect: verified
// flags: -std=c++20
// A jthread joins itself and can be asked to stop.
#include <atomic>
#include <cassert>
#include <thread>

int main() {
    std::atomic<int> stopped{0};
    {
        std::jthread thread([&stopped](std::stop_token token) {
            while (!token.stop_requested()) std::this_thread::yield();
            stopped = 1;
        });
    }
    assert(stopped == 1);
    return 0;
}
