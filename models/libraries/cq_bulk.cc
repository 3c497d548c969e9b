// flags: -idirafter /usr/include
// expect: verified
// expect: assertion flags: -DBUG
//
// moodycamel::ConcurrentQueue, several items at a time: what was put in together may come out in parts, in order. BUG
// takes it that two items that were put in together come out together.
#include <cassert>
#include <concurrentqueue/concurrentqueue.h>
#include <thread>

struct Small : moodycamel::ConcurrentQueueDefaultTraits {
    static const size_t BLOCK_SIZE = 2;
    static const size_t INITIAL_IMPLICIT_PRODUCER_HASH_SIZE = 0;
};

int main() {
    moodycamel::ConcurrentQueue<int, Small> queue(4);
    moodycamel::ProducerToken producer(queue);
    std::thread consumer([&] {
        moodycamel::ConsumerToken token(queue);
        int items[2] = {0, 0};
        const std::size_t count = queue.try_dequeue_bulk(token, items, 2);
#ifdef BUG
        assert(count == 0 || items[1] == 2); // fault: assertion
#else
        for (std::size_t index = 0; index < count; ++index)
            assert(items[index] == int(index) + 1);
#endif
    });
#ifdef BUG
    queue.enqueue(producer, 1);
    queue.enqueue(producer, 2);
#else
    const int items[] = {1, 2};
    queue.enqueue_bulk(producer, items, 2);
#endif
    consumer.join();
}
