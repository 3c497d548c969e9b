// flags: -idirafter /usr/include
// expect: verified
// expect: assertion flags: -DBUG
//
// libcds's ordered list of Michael's, from which nothing is erased: of two threads that insert the same key, one succeeds,
// and whoever finds it sees it whole. BUG asks whether it is there first, and takes that for an answer.
#include "cds_port.h"
#include <cassert>
#include <cds/gc/nogc.h>
#include <cds/container/michael_list_nogc.h>
#include <thread>

struct Less {
    bool operator()(int left, int right) const { return left < right; }
    int operator()(int left, int right, int) const { return left - right; }
};
struct Traits : cds::container::michael_list::traits {
    typedef Less less;
    typedef cds::backoff::empty back_off;
};
using List = cds::container::MichaelList<cds::gc::nogc, int, Traits>;

static List list;

static int insert(int own) {
    list.insert(own);
#ifdef BUG
    const bool is_first = list.contains(5) == list.end();
    list.insert(5);
    return is_first;
#else
    return list.insert(5) != list.end();
#endif
}

int main() {
    int theirs = 0;
    std::thread other([&] { theirs = insert(3); });
    const int own = insert(7);
    other.join();
    assert(own + theirs == 1); // fault: assertion
    int last = 0, count = 0;
    for (int item : list) {
        assert(item > last);
        last = item;
        ++count;
    }
    assert(count == 3);
}
