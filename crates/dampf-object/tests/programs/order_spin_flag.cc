// expect: verified
// expect: data-race flags: -DLOCKS_RELAXED
// expect: data-race flags: -DUNLOCKS_RELAXED
// A lock made of a flag: taking it has to acquire, giving it back to release.
#include <atomic>
#include <thread>

#ifdef LOCKS_RELAXED
constexpr auto take = std::memory_order_relaxed;
#else
constexpr auto take = std::memory_order_acquire;
#endif
#ifdef UNLOCKS_RELAXED
constexpr auto give = std::memory_order_relaxed;
#else
constexpr auto give = std::memory_order_release;
#endif

static std::atomic<bool> taken;
static int count;

static void work() {
    while (taken.exchange(true, take)) {}
    count++; // fault: data-race
    taken.store(false, give);
}

int main() {
    std::thread one(work), two(work);
    one.join();
    two.join();
    return count != 2;
}
