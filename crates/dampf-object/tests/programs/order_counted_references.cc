// expect: verified
// expect: data-race flags: -DRELAXED
// Whoever gives up the last reference looks at what all others did: counting down has to release, and the last one to
// acquire. Counting up need not order anything.
#include <atomic>
#include <thread>

#ifdef RELAXED
constexpr auto down = std::memory_order_relaxed;
#else
constexpr auto down = std::memory_order_acq_rel;
#endif

struct Shared {
    std::atomic<int> references{1};
    int parts[2] = {0, 0};
};

static void give_up(Shared *shared) {
    if (shared->references.fetch_sub(1, down) == 1) {
        int sum = shared->parts[0] + shared->parts[1]; // fault: data-race
        delete shared;
        if (sum != 3) __builtin_trap();
    }
}

int main() {
    auto *shared = new Shared;
    shared->references.fetch_add(1, std::memory_order_relaxed);
    std::thread other([shared] {
        shared->parts[1] = 2; // fault: data-race
        give_up(shared);
    });
    shared->parts[0] = 1; // fault: data-race
    give_up(shared);
    other.join();
    return 0;
}
