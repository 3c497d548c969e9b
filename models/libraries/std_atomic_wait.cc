// flags: -std=c++20
// expect: verified
// expect: deadlock flags: -DBUG
// expect: data-race flags: -DRELAXED
//
// std::atomic::wait and notify: who waits sleeps until the value is another, and sees what was written before. BUG forgets
// to notify, RELAXED waits without an order.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef RELAXED
static const std::memory_order order = std::memory_order_relaxed;
#else
static const std::memory_order order = std::memory_order_acquire;
#endif

static std::atomic<int> stage(0);
static int published;

int main() {
    std::thread other([] {
        stage.wait(0, order);
        assert(published == 7);
        stage.store(2);
        stage.notify_all();
    });
    published = 7;
    stage.store(1);
#ifndef BUG
    stage.notify_all();
#endif
    stage.wait(1);
    assert(stage == 2);
    other.join();
}
