// flags: -idirafter /usr/include
// expect: verified
// expect: verified flags: -DTAKE
// expect: use-after-free flags: -DBUG
//
// moodycamel::ConcurrentQueue without tokens: two threads put one item each into it, and both come out once, in any
// order. With TAKE one of them takes one out again. BUG forgets that the queue has to live until the other thread is done with it.
#include <cassert>
#include <concurrentqueue/concurrentqueue.h>
#include <memory>
#include <thread>

struct Small : moodycamel::ConcurrentQueueDefaultTraits {
    static const size_t BLOCK_SIZE = 2;
    static const size_t INITIAL_IMPLICIT_PRODUCER_HASH_SIZE = 2;
    static const size_t IMPLICIT_INITIAL_INDEX_SIZE = 2;
};
using Queue = moodycamel::ConcurrentQueue<int, Small>;

int main() {
    auto queue = std::make_unique<Queue>(4);
    std::thread other([queue = queue.get()] { queue->enqueue(1); });
    queue->enqueue(2);
    int seen = 0;
#ifdef TAKE
    int taken;
    if (queue->try_dequeue(taken))
        seen = taken;
#endif
#ifdef BUG
    queue.reset();
    other.join();
    (void)seen;
#else
    other.join();
    for (int item; queue->try_dequeue(item);) {
        assert((seen & item) == 0);
        seen |= item;
    }
    assert(seen == 3);
#endif
}
