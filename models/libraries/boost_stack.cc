// flags: -idirafter /usr/include
// expect: verified
// expect: data-race flags: -DBUG
//
// boost::lockfree::stack of a fixed size: one thread pops while the other pops, too, and pushes what it got again; nodes
// are used anew and nothing is lost. BUG pushes without the synchronisation that others are promised.
#include <boost/lockfree/stack.hpp>
#include <cassert>
#include <thread>

int main() {
    boost::lockfree::stack<int, boost::lockfree::capacity<3>> stack;
    stack.push(1);
    stack.push(2);
    int taken = 0;
    std::thread other([&] {
#ifdef BUG
        stack.unsynchronized_push(4);
#else
        stack.pop(taken);
#endif
    });
    int item;
    if (stack.pop(item))
        stack.push(item);
    other.join();
    int sum = taken;
    while (stack.pop(item))
        sum += item;
#ifdef BUG
    assert(sum == 7);
#else
    assert(taken != 0 && sum == 3);
#endif
}
