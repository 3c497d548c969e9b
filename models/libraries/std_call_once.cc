// expect: verified
// expect: data-race flags: -DBUG
//
// std::call_once: one of two threads initialises, the other one sees what it did, and if it throws, the other one tries
// again. BUG does not throw, and looks at a flag of its own first.
#include <cassert>
#include <mutex>
#include <thread>

static std::once_flag once;
static int value, attempts;
static bool done;

static void initialise() {
    ++attempts;
#ifndef BUG
    if (attempts == 1)
        throw 1;
#endif
    value = 7;
    done = true;
}

static bool use() {
#ifdef BUG
    if (!done)
#endif
        try {
            std::call_once(once, initialise);
        } catch (int) {
            return false;
        }
    assert(value == 7);
    return true;
}

int main() {
    bool theirs = false;
    std::thread other([&] { theirs = use(); });
    [[maybe_unused]] const bool own = use();
    other.join();
#ifndef BUG
    assert(attempts == 2 && own != theirs && done);
#endif
}
