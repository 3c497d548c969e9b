// expect: verified
// expect: data-race flags: -DBUG
//
// What a lock orders at first is read later without it: the flag says that the other thread is done. With BUG, one more
// thread writes while nobody holds the lock.
#include <atomic>
#include <mutex>
#include <thread>

static std::mutex mutex;
static int sum;
static std::atomic<int> done{0};

int main() {
    std::thread other([] {
        {
            std::lock_guard guard(mutex);
            sum++;
        }
        done.store(1, std::memory_order_release);
    });
    {
        std::lock_guard guard(mutex);
        sum++;
    }
    while (!done.load(std::memory_order_acquire)) std::this_thread::yield();
#ifdef BUG
    std::thread late([] { sum++; });
#endif
    int seen = sum;
#ifdef BUG
    late.join();
#endif
    other.join();
    return seen == 2 ? 0 : 1;
}
