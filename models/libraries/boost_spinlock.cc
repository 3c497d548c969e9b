// flags: -idirafter /usr/include
// expect: verified
// expect: data-race flags: -DBUG
//
// boost::detail::spinlock, under which two threads count. BUG goes on where try_lock did not succeed.
#include <boost/smart_ptr/detail/spinlock.hpp>
#include <cassert>
#include <thread>

static boost::detail::spinlock lock = BOOST_DETAIL_SPINLOCK_INIT;
static int counter;

static void count() {
#ifdef BUG
    lock.try_lock();
#else
    lock.lock();
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
