// flags: -idirafter /usr/include
// expect: verified
// expect: deadlock flags: -DBUG
//
// moodycamel::BlockingConcurrentQueue: a consumer waits for an item, and sees what was written before it was put in. BUG
// has two consumers wait for what one of them takes away.
#include <cassert>
#include <concurrentqueue/blockingconcurrentqueue.h>
#include <thread>

struct Small : moodycamel::ConcurrentQueueDefaultTraits {
    static const size_t BLOCK_SIZE = 2;
    static const size_t INITIAL_IMPLICIT_PRODUCER_HASH_SIZE = 0;
    static const int MAX_SEMA_SPINS = 1;
};

static int published;

int main() {
    moodycamel::BlockingConcurrentQueue<int *, Small> queue(4);
    moodycamel::ProducerToken token(queue);
    std::thread consumer([&] {
        int *item;
        queue.wait_dequeue(item);
        assert(*item == 7);
    });
    published = 7;
    queue.enqueue(token, &published);
#ifdef BUG
    int *item;
    queue.wait_dequeue(item);
#endif
    consumer.join();
}
