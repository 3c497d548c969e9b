// flags: -std=c++20
// options: --leaks
// expect: data-race
// expect: verified options: --no-races
// expect: data-race flags: -DBUG
//
// std::atomic<std::shared_ptr>: one thread replaces what the other reads; the last one destroys it. BUG does so with a
// pointer that is not atomic. Of GCC 12, the atomic one races, too: who loads unlocks without releasing; see
// docs/found.md.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

struct Object {
    int left, right;
};

int main() {
#ifdef BUG
    std::shared_ptr<Object> current = std::make_shared<Object>(1, 1);
#else
    std::atomic<std::shared_ptr<Object>> current(std::make_shared<Object>(1, 1));
#endif
    std::thread other([&] { current = std::make_shared<Object>(2, 2); });
#ifdef BUG
    std::shared_ptr<Object> seen = current;
#else
    std::shared_ptr<Object> seen = current.load();
#endif
    assert(seen->left == seen->right);
    other.join();
}
