// expect: verified
// expect: data-race flags: -DBUG
// Copies of a shared pointer may be used at once, one object may not.
#include <cassert>
#include <memory>
#include <thread>

int main() {
    std::shared_ptr<int> first = std::make_shared<int>(1);
    std::weak_ptr<int> watch = first;
#ifdef BUG
    std::thread thread([&first] { first.reset(); }); // fault: data-race
    std::shared_ptr<int> second = first; // fault: data-race
    thread.join();
#else
    std::thread thread([copy = first]() mutable { copy.reset(); });
    first.reset();
    thread.join();
    assert(watch.expired());
#endif
    return 0;
}
