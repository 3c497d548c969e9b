// expect: verified
// expect: data-race flags: -DLOOKS_EARLY
// Counters that order nothing beside data that locks, joins and condition variables order.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::atomic<int> operations;
static std::mutex lock;
static std::condition_variable ready;
static bool is_ready;
static int result, from_worker;

int main() {
    std::thread worker([] {
        operations.fetch_add(1, std::memory_order_relaxed);
        from_worker = 5; // fault: data-race
        result = 7;
        {
            std::lock_guard<std::mutex> guard(lock);
            is_ready = true;
        }
        ready.notify_one();
        operations.fetch_add(1, std::memory_order_relaxed);
    });
#ifdef LOOKS_EARLY
    if (operations.load(std::memory_order_relaxed) == 2 && from_worker != 5) return 1; // fault: data-race
#endif
    {
        std::unique_lock<std::mutex> guard(lock);
        ready.wait(guard, [] { return is_ready; });
    }
    if (result != 7) return 2;
    result = 8;
    worker.join();
    return from_worker != 5 || operations.load(std::memory_order_relaxed) != 2;
}
