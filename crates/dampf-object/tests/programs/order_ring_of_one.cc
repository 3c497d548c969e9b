// expect: verified
// expect: data-race flags: -DPUBLISHES_RELAXED
// expect: data-race flags: -DTAKES_RELAXED
// expect: data-race flags: -DFREES_RELAXED
// A ring with one producer and one consumer: each reads its own index as it likes, and orders what it tells the other.
#include <atomic>
#include <thread>

constexpr unsigned SIZE = 2, ITEMS = 3;

#ifdef PUBLISHES_RELAXED
constexpr auto publish = std::memory_order_relaxed;
#else
constexpr auto publish = std::memory_order_release;
#endif
#ifdef TAKES_RELAXED
constexpr auto look = std::memory_order_relaxed;
#else
constexpr auto look = std::memory_order_acquire;
#endif
#ifdef FREES_RELAXED
constexpr auto give_back = std::memory_order_relaxed;
#else
constexpr auto give_back = std::memory_order_release;
#endif

static int slots[SIZE];
static std::atomic<unsigned> head, tail;

static bool push(int item) {
    unsigned at = tail.load(std::memory_order_relaxed);
    if (at - head.load(std::memory_order_acquire) == SIZE) return false;
    slots[at % SIZE] = item; // fault: data-race
    tail.store(at + 1, publish);
    return true;
}

static bool pop(int *item) {
    unsigned at = head.load(std::memory_order_relaxed);
    if (at == tail.load(look)) return false;
    *item = slots[at % SIZE]; // fault: data-race
    head.store(at + 1, give_back);
    return true;
}

int main() {
    std::thread producer([] {
        for (int item = 1; item <= int(ITEMS);) item += push(item);
    });
    int expected = 1, item;
    for (int tries = 0; tries < 4; tries++) {
        if (pop(&item) && item != expected++) return 1;
    }
    while (expected <= int(ITEMS)) {
        if (pop(&item) && item != expected++) return 1;
    }
    producer.join();
    return 0;
}
