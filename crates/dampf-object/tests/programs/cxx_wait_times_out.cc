// expect: assertion
// expect: assertion flags: -DPREDICATE
// expect: assertion flags: -DANY
// expect: assertion flags: -DUNTIL
// expect: assertion flags: -DMUTEX
// expect: assertion flags: -DFUTURE
// expect: verified flags: -DLOOP
// flags: -std=c++20
// What waits for a time may come back because the time is over, and finds that it is. A loop around it has an end of states.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

std::mutex mutex;
std::timed_mutex timed_mutex;
std::condition_variable changed;
std::condition_variable_any changed_for_any;
bool ready;
std::promise<int> promise;

void prepare() {
#if defined(MUTEX)
    timed_mutex.lock();
    timed_mutex.unlock();
#elif defined(FUTURE)
    promise.set_value(1);
#else
    std::lock_guard guard(mutex);
    ready = true;
    changed.notify_one();
    changed_for_any.notify_one();
#endif
}

int main() {
    std::thread thread(prepare);
    {
#if defined(MUTEX)
        assert(timed_mutex.try_lock_for(1s)); // fault: assertion
        timed_mutex.unlock();
#elif defined(FUTURE)
        assert(promise.get_future().wait_for(1s) == std::future_status::ready); // fault: assertion
#else
        std::unique_lock lock(mutex);
#if defined(PREDICATE)
        assert(changed.wait_for(lock, 1s, [] { return ready; })); // fault: assertion
#elif defined(ANY)
        assert(changed_for_any.wait_for(lock, 1s, [] { return ready; })); // fault: assertion
#elif defined(UNTIL)
        auto end = std::chrono::system_clock::now() + 1s;
        while (!ready) assert(changed.wait_until(lock, end) == std::cv_status::no_timeout); // fault: assertion
#elif defined(LOOP)
        while (!ready) changed.wait_for(lock, 1s);
#else
        if (!ready) assert(changed.wait_for(lock, 1s) == std::cv_status::no_timeout); // fault: assertion
#endif
#endif
    }
    thread.join();
}
