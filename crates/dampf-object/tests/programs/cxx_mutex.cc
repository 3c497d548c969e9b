// expect: verified
// expect: data-race flags: -DBUG
// std::mutex with its guards.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int counter;

static void count() {
#ifndef BUG
    std::lock_guard<std::mutex> guard(mutex);
#endif
    counter++; // fault: data-race
}

int main() {
    std::thread first(count), second(count);
    first.join();
    second.join();
    std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
    assert(!lock.owns_lock());
    lock.lock();
    assert(counter == 2);
    lock.unlock();
    assert(lock.try_lock());
    return 0;
}
