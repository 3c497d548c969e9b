// flags: -idirafter /usr/include
// expect: verified
// expect: use-after-free flags: -DBUG
//
// atomic_queue::AtomicQueueB, which allocates its elements, between one producer and two consumers: each item is taken by
// one of them. BUG forgets to wait for a consumer before the queue goes out of scope.
#include <atomic_queue/atomic_queue.h>
#include <cassert>
#include <memory>
#include <thread>

using Queue = atomic_queue::AtomicQueueB<unsigned, std::allocator<unsigned>, 0u, false>;

int main() {
    auto queue = std::make_unique<Queue>(2);
    queue->push(1);
    queue->push(2);
    unsigned taken = 0;
    std::thread consumer([&taken, queue = queue.get()] { queue->try_pop(taken); });
    unsigned own = 0;
    queue->try_pop(own);
#ifdef BUG
    queue.reset();
    consumer.join();
#else
    consumer.join();
    assert(own + taken == 3 && own != 0 && taken != 0);
#endif
}
