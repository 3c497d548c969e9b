// expect: verified
// expect: data-race flags: -DBUG
//
// std::call_once: one of two threads initialises, the other one sees what it did, and if it throws, the other one tries
// again. BUG looks at a flag of its own first.
#include <cassert>
#include <mutex>
#include <thread>

static std::once_flag once;
static int value, attempts;
static bool done;

static void initialise() {
    if (++attempts == 1)
        throw 1;
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
    const bool own = use();
    other.join();
    assert(attempts == 2 && own != theirs && done);
}
