// flags: -idirafter /usr/include
// expect: verified
// expect: assertion flags: -DBUG
// expect: data-race flags: -DRELAXED
//
// boost::atomic as a lock, its operations that other libraries do not have, and publication. BUG counts in two
// operations instead of one. RELAXED publishes without an order.
#define BOOST_ATOMIC_NO_LIB
#include <boost/atomic/atomic.hpp>
#include <cassert>
#include <thread>

static boost::atomic<int> counter(0);
static boost::atomic<bool> ready(false);
static int published;

#ifdef RELAXED
static const boost::memory_order release = boost::memory_order_relaxed;
#else
static const boost::memory_order release = boost::memory_order_release;
#endif

static void count() {
#ifdef BUG
    counter.store(counter.load() + 1);
#else
    counter.opaque_add(1);
#endif
}

int main() {
    std::thread other([] {
        count();
        published = 7;
        ready.store(true, release);
    });
    count();
    if (ready.load(boost::memory_order_acquire))
        assert(published == 7);
    other.join();
    assert(counter.load() == 2);
}
