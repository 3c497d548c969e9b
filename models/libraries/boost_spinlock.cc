// flags: -idirafter /usr/include
// expect: verified
// expect: data-race flags: -DBUG
//
// boost::detail::spinlock, under which two threads count. BUG goes on where try_lock did not succeed.
//
// Its own lock counts how often it has tried, without end, so that a thread that is kept waiting is never in the same
// state twice: such a loop has no finite number of states. Here threads try for themselves.
#include <boost/smart_ptr/detail/spinlock.hpp>
#include <cassert>
#include <thread>

static boost::detail::spinlock lock = BOOST_DETAIL_SPINLOCK_INIT;
static int counter;

static void count() {
#ifdef BUG
    lock.try_lock();
#else
    while (!lock.try_lock())
        std::this_thread::yield();
#endif
    ++counter; // fault: data-race
    lock.unlock();
}

int main() {
    std::thread other(count);
    count();
    other.join();
    assert(counter == 2);
}
