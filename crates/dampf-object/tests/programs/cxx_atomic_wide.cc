// expect: verified
// expect: assertion flags: -DBUG
// expect: data-race flags: -DRACE
// An atomic structure that is too wide for the machine is guarded by a lock of the library.
#include <atomic>
#include <cassert>
#include <cstring>
#include <thread>

struct Triple {
    long left, middle, right;
};

static std::atomic<Triple> shared;

int main() {
    std::thread thread([] {
        shared.store({1, 1, 1});
        shared.store({2, 2, 2});
    });
    Triple seen = shared.load();
    assert(seen.left == seen.middle && seen.middle == seen.right);
#ifdef BUG
    assert(seen.left != 1); // fault: assertion
#endif
#ifdef RACE
    std::memset(static_cast<void *>(&shared), 0, 1); // fault: data-race
#endif
    thread.join();
    return 0;
}
