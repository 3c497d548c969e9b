// expect: verified
// expect: uncaught-exception flags: -DBUG
//
// std::promise and std::shared_future: what was written before the value is set is seen by all who wait for it. BUG
// has two threads keep one promise.
#include <cassert>
#include <future>
#include <thread>

static int published;

int main() {
    std::promise<int *> promise;
    std::shared_future<int *> future = promise.get_future().share();
    std::thread other([&] {
#ifdef BUG
        promise.set_value(&published);
#else
        assert(*future.get() == 7);
#endif
    });
    published = 7;
    promise.set_value(&published);
    assert(*future.get() == 7);
    other.join();
}
