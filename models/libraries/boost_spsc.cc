// flags: -idirafter /usr/include
// expect: verified
// expect: data-race flags: -DBUG
//
// boost::lockfree::spsc_queue, for one producer and one consumer: order is kept, nothing is lost. BUG has two producers.
#include <boost/lockfree/spsc_queue.hpp>
#include <cassert>
#include <thread>

int main() {
    boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>> queue;
    std::thread producer([&] {
        queue.push(1); // fault: data-race
        queue.push(2); // fault: data-race
    });
#ifdef BUG
    queue.push(3); // fault: data-race
    producer.join();
#else
    int last = 0;
    for (int attempt = 0, item; attempt < 2; ++attempt)
        if (queue.pop(item)) {
            assert(item == last + 1);
            last = item;
        }
    producer.join();
    for (int item; queue.pop(item); last = item)
        assert(item == last + 1);
    assert(last == 2);
#endif
}
