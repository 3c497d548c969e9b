// flags: -idirafter /usr/include
// options: --leaks
// expect: verified
// expect: assertion flags: -DBUG
//
// boost::atomic_shared_ptr: two threads replace what is shared, each with what it read plus one. BUG does so in two
// operations.
//
// Its spin lock counts how often it has tried, without end; so the threads take turns under a mutex.
#include <boost/smart_ptr/atomic_shared_ptr.hpp>
#include <boost/smart_ptr/make_shared.hpp>
#include <cassert>
#include <mutex>
#include <thread>

static boost::atomic_shared_ptr<int> current(boost::make_shared<int>(0));
static std::mutex turns;

static boost::shared_ptr<int> load() {
    std::lock_guard<std::mutex> turn(turns);
    return current.load();
}

static void increment() {
    boost::shared_ptr<int> seen = load();
#ifdef BUG
    boost::shared_ptr<int> next = boost::make_shared<int>(*seen + 1);
    std::lock_guard<std::mutex> turn(turns);
    current.store(next);
#else
    for (;;) {
        boost::shared_ptr<int> next = boost::make_shared<int>(*seen + 1);
        std::lock_guard<std::mutex> turn(turns);
        if (current.compare_exchange_strong(seen, next))
            break;
    }
#endif
}

int main() {
    std::thread other(increment);
    increment();
    other.join();
    assert(*load() == 2);
    current.store(boost::shared_ptr<int>());
}
