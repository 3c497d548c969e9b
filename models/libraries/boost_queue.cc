// flags: -idirafter /usr/include
// expect: verified
// expect: data-race flags: -DFIXED
// expect: assertion flags: -DBUG options: --no-races
//
// boost::lockfree::queue: two threads put one item each in, and in the end each has come out once. FIXED has room for two
// from the start: who takes a node reads where the next one is while another, who was faster, already writes to it; see
// docs/found.md. BUG does not look whether there was room.
#include <boost/lockfree/queue.hpp>
#include <cassert>
#include <thread>

int main() {
#if defined(FIXED)
    boost::lockfree::queue<int, boost::lockfree::capacity<2>> queue;
#elif defined(BUG)
    boost::lockfree::queue<int, boost::lockfree::capacity<1>> queue;
#else
    boost::lockfree::queue<int> queue(0);
#endif
    std::thread other([&] { queue.push(1); });
    queue.push(2);
    other.join();
    int item, sum = 0;
    while (queue.pop(item))
        sum += item;
    assert(sum == 3);
}
