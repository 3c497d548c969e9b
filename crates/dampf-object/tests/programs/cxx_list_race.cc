// expect: verified
// expect: data-race flags: -DBUG
// The first element is looked up under the lock, or before it.
#include <list>
#include <mutex>
#include <thread>

static std::list<int> items{1, 2, 3};
static std::mutex mutex;

static void drop_first() {
    std::unique_lock<std::mutex> lock(mutex);
#ifdef BUG
    lock.unlock();
#endif
    auto first = items.begin(); // fault: data-race
#ifdef BUG
    lock.lock();
#endif
    items.erase(first); // fault: data-race
}

int main() {
    std::thread one(drop_first), other(drop_first);
    one.join();
    other.join();
}
