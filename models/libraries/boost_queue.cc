// flags: -idirafter /usr/include
// expect: verified
// expect: assertion flags: -DBUG
//
// boost::lockfree::queue of a fixed size: two threads put one item each in, one takes out what is there meanwhile, and in
// the end each has come out once. BUG does not look whether there was room.
#include <boost/lockfree/queue.hpp>
#include <cassert>
#include <thread>

#ifdef BUG
static const int capacity = 1;
#else
static const int capacity = 2;
#endif

int main() {
    boost::lockfree::queue<int, boost::lockfree::capacity<capacity>> queue;
    std::thread other([&] { queue.push(1); });
    queue.push(2);
    int item, sum = 0;
    if (queue.pop(item))
        sum += item;
    other.join();
    while (queue.pop(item))
        sum += item;
    assert(sum == 3);
}
