// flags: -idirafter /usr/include
// expect: verified
// expect: assertion flags: -DEMPTY
// expect: assertion flags: -DBUG
//
// libcds's list of free nodes, with which others avoid ABA: no two threads are given the same node. EMPTY takes it
// that a thread is given one as long as one is there: but while another thread looks at a node that is given back, it is
// on no list. BUG gives back a node that it goes on using.
#include "cds_port.h"
#include <cassert>
#include <cds/intrusive/free_list.h>
#include <thread>

using List = cds::intrusive::FreeList;

int main() {
    List list;
    List::node nodes[2];
    list.put(&nodes[0]);
    list.put(&nodes[1]);
    List::node *theirs = nullptr;
    std::thread other([&] {
        theirs = list.get();
#ifndef BUG
        if (theirs)
            list.put(theirs);
        theirs = list.get();
#endif
    });
    List::node *own = list.get();
#ifdef BUG
    list.put(own);
#endif
    other.join();
#ifdef BUG
    assert(own != theirs); // fault: assertion
#else
#ifdef EMPTY
    assert(own && theirs); // fault: assertion
#endif
    assert(own != theirs || own == nullptr);
#endif
    list.clear([](List::node *) {});
}
