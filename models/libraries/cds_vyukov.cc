// flags: -idirafter /usr/include
// expect: verified
// expect: data-race flags: -DBUG
//
// libcds's queue of Vyukov's, for all: two threads put in and take out. BUG uses it as if there were one consumer, and keeps
// a pointer to what has been taken out.
#include "cds_port.h"
#include <cassert>
#include <cds/container/vyukov_mpmc_cycle_queue.h>
#include <thread>

struct Traits : cds::container::vyukov_queue::traits {
    static constexpr bool const single_consumer = true;
};
using Queue = cds::container::VyukovMPMCCycleQueue<int, Traits>;

int main() {
    Queue queue(2);
    std::thread producer([&] {
        queue.push(1);
        queue.push(2);
#ifdef BUG
        queue.push(3);
#endif
    });
    int last = 0;
    for (int attempt = 0; attempt < 2; ++attempt)
        if (const int *front = queue.front()) {
#ifdef BUG
            queue.pop_front();
#endif
            assert(*front == last + 1);
            last = *front;
#ifndef BUG
            queue.pop_front();
#endif
        }
    producer.join();
}
