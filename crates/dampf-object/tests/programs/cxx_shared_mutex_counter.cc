// expect: verified
// expect: data-race flags: -DBUG
// flags: -std=c++17
//
// A counter of looks is written under a lock that readers share.
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex mutex;
static int value;
#ifdef BUG
static int looks;
#else
static std::atomic<int> looks;
#endif

static void look() {
    std::shared_lock<std::shared_mutex> lock(mutex);
    looks += value + 1; // fault: data-race
}

int main() {
    std::thread one(look), two(look);
    {
        std::lock_guard<std::shared_mutex> lock(mutex);
        value = 1;
    }
    one.join();
    two.join();
    return looks < 2;
}
