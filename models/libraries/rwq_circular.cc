// flags: -idirafter /usr/include
// expect: verified
// expect: deadlock flags: -DBUG
//
// moodycamel::BlockingReaderWriterCircularBuffer: the consumer waits for items, which come in the order in which they
// were put in. With BUG nobody takes anything out, and the producer waits for room.
//
// Who waits asks ten thousand times before it sleeps. Where both have to wait, as with three items and room for one,
// there are millions of states: how often one has asked, and how often the other.
#include <cassert>
#include <readerwriterqueue/readerwritercircularbuffer.h>
#include <thread>

int main() {
    moodycamel::BlockingReaderWriterCircularBuffer<int> buffer(2);
    std::thread producer([&] {
        buffer.wait_enqueue(1);
        buffer.wait_enqueue(2);
#ifdef BUG
        buffer.wait_enqueue(3);
#endif
    });
#ifndef BUG
    for (int number = 1, item; number <= 2; ++number) {
        buffer.wait_dequeue(item);
        assert(item == number);
    }
#endif
    producer.join();
}
