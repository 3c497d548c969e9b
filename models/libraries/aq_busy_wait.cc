// flags: -idirafter /usr/include
// expect: verified
// expect: assertion flags: -DBUG
//
// atomic_queue::AtomicQueue, its push and pop for optimists, for one producer and one consumer: whoever comes too
// early waits in a busy loop. BUG has a second consumer, so that neither sees all of the order.
#include <atomic_queue/atomic_queue.h>
#include <cassert>
#include <thread>

int main() {
#ifdef BUG
    using Queue = atomic_queue::AtomicQueue<unsigned, 2, 0u, false, false, false, false>;
#else
    using Queue = atomic_queue::AtomicQueue<unsigned, 2, 0u, false, false, false, true>;
#endif
    Queue queue;
    std::thread producer([&] {
        queue.push(1);
        queue.push(2);
    });
#ifdef BUG
    std::thread consumer([&] { assert(queue.pop() == 2); }); // fault: assertion
    assert(queue.pop() == 1); // fault: assertion
    consumer.join();
#else
    assert(queue.pop() == 1);
    assert(queue.pop() == 2);
#endif
    producer.join();
}
