// flags: -idirafter /usr/include
// expect: verified
// expect: assertion flags: -DBUG
// expect: data-race flags: -DBUG -DNDEBUG
//
// moodycamel::ReaderWriterQueue, for one producer and one consumer: what goes in comes out in that order, across the
// blocks that it grows by. BUG has two producers, which the
// queue notices by itself unless NDEBUG.
#include <cassert>
#include <readerwriterqueue/readerwriterqueue.h>
#include <thread>

int main() {
    moodycamel::ReaderWriterQueue<int, 4> queue(1);
    std::thread producer([&] {
        queue.enqueue(1);
        queue.enqueue(2);
        queue.enqueue(3);
    });
#ifdef BUG
    queue.enqueue(4);
#else
    int last = 0;
    for (int attempt = 0, item; attempt < 3; ++attempt)
        if (queue.try_dequeue(item)) {
            assert(item == last + 1);
            last = item;
        }
#endif
    producer.join();
#ifndef BUG
    for (int item; queue.try_dequeue(item); last = item)
        assert(item == last + 1);
    assert(last == 3);
#endif
}
