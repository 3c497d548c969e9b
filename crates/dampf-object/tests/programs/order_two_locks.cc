// expect: verified
// expect: data-race flags: -DONE
//
// A thread counts under one lock and then under another. Whoever holds both comes before or behind both; with ONE, the
// first thread holds the second lock alone, which does not order it behind what was done under the first.
#include <atomic>
#include <mutex>
#include <thread>

static std::mutex first, second;
static int sum;
static std::atomic<int> calls{0};

int main() {
    std::thread other([] {
        {
            std::lock_guard guard(first);
            sum++;
        }
        calls.fetch_add(1, std::memory_order_relaxed);
        std::lock_guard guard(second);
        sum++;
    });
    while (calls.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
    {
#ifndef ONE
        std::lock_guard guard(first);
#endif
        std::lock_guard also(second);
        sum++;
    }
    other.join();
    return sum == 3 ? 0 : 1;
}
