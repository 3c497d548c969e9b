// flags: -idirafter /usr/include
// expect: verified
// expect: verified flags: -DTHIRD
// expect: assertion flags: -DBUG
//
// atomic_queue::AtomicQueue, whose elements are atomic and zero where there is none: two threads put one each in, and
// both are there at the end; THIRD is a thread
// that takes one out. BUG puts in a zero, which the queue cannot tell from nothing.
#include <atomic_queue/atomic_queue.h>
#include <cassert>
#include <thread>

int main() {
    // Without busy loops inside of loops, which change nothing but speed.
    atomic_queue::AtomicQueue<unsigned, 2, 0u, false, false> queue;
#ifdef BUG
    const unsigned first = 0;
#else
    const unsigned first = 1;
#endif
    std::thread other([&] { queue.push(first); });
#ifdef THIRD
    unsigned taken = 0;
    std::thread consumer([&] { queue.try_pop(taken); });
#endif
    const bool pushed = queue.try_push(2);
    other.join();
    unsigned item = 0, sum = 0;
#ifdef THIRD
    consumer.join();
    sum = taken;
#endif
    while (queue.try_pop(item))
        sum += item;
    assert(pushed && sum == 3);
}
