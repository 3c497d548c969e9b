// flags: -idirafter /usr/include
// expect: verified
// expect: data-race flags: -DBUG
//
// libcds's ring buffer for one producer and one consumer. BUG has two producers.
#include "cds_port.h"
#include <cassert>
#include <cds/container/weak_ringbuffer.h>
#include <thread>

int main() {
    cds::container::WeakRingBuffer<int> buffer(2);
    std::thread producer([&] {
        buffer.push(1);
        buffer.push(2);
    });
#ifdef BUG
    buffer.push(3);
#else
    int last = 0;
    for (int attempt = 0, item; attempt < 3; ++attempt)
        if (buffer.dequeue(item)) {
            assert(item == last + 1);
            last = item;
        }
#endif
    producer.join();
}
