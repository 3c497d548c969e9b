// flags: -idirafter /usr/include
// expect: verified
// expect: data-race flags: -DBUG
//
// moodycamel::ConcurrentQueue, with a token of a producer: what one producer puts in comes out in its order, and nothing
// comes out twice. BUG has two threads use one and the same token, which the queue takes for one producer.
#include <cassert>
#include <concurrentqueue/concurrentqueue.h>
#include <thread>

struct Small : moodycamel::ConcurrentQueueDefaultTraits {
    static const size_t BLOCK_SIZE = 2;
    static const size_t INITIAL_IMPLICIT_PRODUCER_HASH_SIZE = 0;
};

int main() {
    moodycamel::ConcurrentQueue<int, Small> queue(4);
    moodycamel::ProducerToken token(queue);
#ifdef BUG
    std::thread other([&] {
        queue.enqueue(token, 1); // fault: data-race
    });
    queue.enqueue(token, 2); // fault: data-race
    other.join();
#else
    std::thread consumer([&] {
        int last = 0;
        for (int attempt = 0, item; attempt < 2; ++attempt)
            if (queue.try_dequeue(item)) {
                assert(item == last + 1);
                last = item;
            }
    });
    queue.enqueue(token, 1);
    queue.enqueue(token, 2);
    consumer.join();
#endif
}
