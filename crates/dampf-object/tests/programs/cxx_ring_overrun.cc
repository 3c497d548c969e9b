// expect: verified
// expect: data-race flags: -DBUG
// A ring of two jobs for one producer and one consumer, without locks; with BUG, it takes a job more than it has room
// for, over one that is being read.
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

struct Job {
    int number;
    bool urgent;
};

template <typename T, unsigned SIZE>
class Ring {
    std::array<T, SIZE> slots{};
    std::atomic<unsigned> taken{0}, filled{0};

public:
    bool put(const T &value) {
        unsigned at = filled.load(std::memory_order_relaxed);
#ifdef BUG
        if (at - taken.load(std::memory_order_acquire) > SIZE) return false;
#else
        if (at - taken.load(std::memory_order_acquire) == SIZE) return false;
#endif
        slots[at % SIZE] = value; // fault: data-race
        filled.store(at + 1, std::memory_order_release);
        return true;
    }

    bool take(T &value) {
        unsigned at = taken.load(std::memory_order_relaxed);
        if (at == filled.load(std::memory_order_acquire)) return false;
        value = slots[at % SIZE]; // fault: data-race
        taken.store(at + 1, std::memory_order_release);
        return true;
    }
};

static Ring<Job, 2> ring;

int main() {
    std::thread consumer([] {
        int expected = 1;
        for (Job job; ring.take(job); expected++) assert(job.number == expected);
    });
    for (int number = 1; number <= 3; number++) ring.put({number, number == 2});
    consumer.join();
}
