// options: --leaks
// expect: verified
// expect: use-after-free flags: -DBUG
//
// std::weak_ptr: who can lock it keeps the object alive. BUG looks whether it has expired, and then takes the pointer.
#include <cassert>
#include <memory>
#include <thread>

int main() {
    auto owner = std::make_unique<std::shared_ptr<int>>(new int(7));
    std::weak_ptr<int> observer = *owner;
    int *raw = owner->get();
    std::thread other([owner = std::move(owner)]() mutable { owner.reset(); });
#ifdef BUG
    if (!observer.expired())
        assert(*raw == 7); // fault: use-after-free
#else
    if (const auto locked = observer.lock())
        assert(*locked == 7 && locked.get() == raw);
#endif
    other.join();
}
