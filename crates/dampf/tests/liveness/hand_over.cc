// expect: verified options: --livelock
// expect: verified options: --starvation
// expect: verified options: --ltl <>(done==2) --fairness weak
// expect: unknown flags: -DBOTH_WAIT options: --livelock
// expect: property flags: -DBOTH_WAIT options: --ltl <>(done==2) --fairness weak
// expect: verified flags: -DRELAXED options: --ltl <>(done==2) --fairness weak
//
// Strict alternation by an atomic variable on which threads spin; relaxed or not, a value that was stored is seen in
// the end. Where the second BOTH_WAITs for a turn that nobody gives it, it spins for ever.
#include <atomic>
#include <thread>

#ifdef RELAXED
constexpr auto order_of_stores = std::memory_order_relaxed, order_of_loads = std::memory_order_relaxed;
#else
constexpr auto order_of_stores = std::memory_order_release, order_of_loads = std::memory_order_acquire;
#endif

static std::atomic<int> turn{0}, done{0};

static void take_turns(int own) {
    for (int round = 0; round < 2; round++) {
        while (turn.load(order_of_loads) != own) {
        }
#ifdef BOTH_WAIT
        if (own == 0 && round == 1 && done.load() == 0) turn.store(0, order_of_stores);
        else
#endif
        turn.store(1 - own, order_of_stores);
    }
    done++;
}

int main() {
    std::thread other(take_turns, 1);
    take_turns(0);
    other.join();
}
