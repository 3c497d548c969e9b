// expect: verified
// expect: data-race flags: -DSTORES
// expect: data-race flags: -DRELAXED_LOAD
// Updates go on with what a release has begun, whatever their order; a store of another thread ends it.
#include <atomic>
#include <thread>

static int value;
static std::atomic<int> stage;

int main() {
    std::thread first([] {
        value = 1;
        stage.store(1, std::memory_order_release);
    });
    std::thread second([] {
#ifdef STORES
        if (stage.load(std::memory_order_relaxed) == 1) stage.store(2, std::memory_order_relaxed);
#else
        int one = 1;
        stage.compare_exchange_strong(one, 2, std::memory_order_relaxed);
#endif
    });
#ifdef RELAXED_LOAD
    bool is_there = stage.load(std::memory_order_relaxed) == 2;
#else
    bool is_there = stage.load(std::memory_order_acquire) == 2;
#endif
    int seen = 1;
    if (is_there) seen = value; // fault: data-race
    first.join();
    second.join();
    return seen != 1;
}
