// expect: verified
// A weak pointer gives the object or nothing.
#include <cassert>
#include <memory>
#include <thread>

int main() {
    auto owner = std::make_shared<int>(5);
    std::weak_ptr<int> watch = owner;
    std::thread thread([watch] {
        if (auto locked = watch.lock()) assert(*locked == 5);
    });
    owner.reset();
    thread.join();
    assert(watch.expired());
    return 0;
}
