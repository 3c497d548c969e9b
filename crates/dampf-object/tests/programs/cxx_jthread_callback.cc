// expect: verified
// flags: -std=c++20 -Wno-maybe-uninitialized
// A stop callback runs when stopping is requested, or at once if it was before.
#include <cassert>
#include <stop_token>
#include <thread>

int main() {
    std::stop_source source;
    int called = 0;
    {
        std::stop_callback callback(source.get_token(), [&called] { called++; });
        assert(called == 0);
        std::jthread thread([&source] { source.request_stop(); });
    }
    assert(called == 1 && source.stop_requested());
    std::stop_callback late(source.get_token(), [&called] { called++; });
    assert(called == 2);
    return 0;
}
