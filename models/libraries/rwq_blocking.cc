// flags: -idirafter /usr/include
// expect: verified
// expect: deadlock flags: -DBUG
//
// moodycamel::BlockingReaderWriterQueue: the consumer waits for each item. BUG waits for one more than there will be.
#include <cassert>
#include <readerwriterqueue/readerwriterqueue.h>
#include <thread>

#ifdef BUG
static const int expected = 3;
#else
static const int expected = 2;
#endif

int main() {
    moodycamel::BlockingReaderWriterQueue<int> queue(2);
    std::thread producer([&] {
        queue.enqueue(1);
        queue.enqueue(2);
    });
    for (int number = 1; number <= expected; ++number) {
        int item;
        queue.wait_dequeue(item);
        assert(item == number);
    }
    producer.join();
}
