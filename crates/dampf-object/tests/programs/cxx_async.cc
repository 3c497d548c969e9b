// expect: verified
// expect: data-race flags: -DBUG
// Work that runs elsewhere, or later.
#include <cassert>
#include <future>

int main() {
    int calls = 0;
    auto later = std::async(std::launch::deferred, [&calls] { return ++calls; });
    assert(calls == 0);
    assert(later.get() == 1);
    auto elsewhere = std::async(std::launch::async, [&calls] { return ++calls; }); // fault: data-race
#ifdef BUG
    calls++; // fault: data-race
#endif
    assert(elsewhere.get() >= 2);
    return 0;
}
