// flags: -idirafter /usr/include
// expect: verified
// expect: data-race flags: -DPOP
// expect: assertion flags: -DBUG
//
// boost::lockfree::stack: two threads push, and what they pushed is there. With POP one of them pops, too: it reads where
// the next node is while another, who was faster, already uses the node for something else; see docs/found.md. BUG pushes
// without synchronisation, and what the other thread pushed meanwhile is lost.
#include <boost/lockfree/stack.hpp>
#include <cassert>
#include <thread>

int main() {
    boost::lockfree::stack<int> stack(0);
    stack.push(4);
    std::thread other([&] {
        stack.push(1);
#ifdef POP
        int item;
        stack.pop(item);
        stack.push(item);
#endif
    });
#if defined(BUG)
    stack.unsynchronized_push(2);
#elif defined(POP)
    int own;
    stack.pop(own);
    stack.push(own);
    stack.push(2);
#else
    stack.push(2);
#endif
    other.join();
    int item, sum = 0;
    while (stack.pop(item))
        sum += item;
    assert(sum == 7);
}
