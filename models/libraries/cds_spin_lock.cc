// flags: -idirafter /usr/include
// expect: verified flags: -DRELEASE
// expect: data-race
// expect: data-race flags: -DRELEASE -DBUG
//
// libcds's spin lock, with a back-off that does nothing, under which two threads count. BUG lets go of it too early.
// Without RELEASE the lock remembers who holds it, and looks at that before it is acquired; see docs/found.md.
#ifdef RELEASE
#define NDEBUG
#endif
#include "cds_port.h"
#include <cds/algo/backoff_strategy.h>
#include <cds/sync/spinlock.h>
#undef NDEBUG
#include <cassert>
#include <mutex>
#include <thread>

static cds::sync::spin_lock<cds::backoff::empty> lock;
static int counter;

static void count() {
    for (int round = 0; round < 2; ++round) {
        std::unique_lock<decltype(lock)> guard(lock);
#ifdef BUG
        guard.unlock();
#endif
        ++counter;
    }
}

int main() {
    std::thread other(count);
    count();
    other.join();
    assert(counter == 4);
}
