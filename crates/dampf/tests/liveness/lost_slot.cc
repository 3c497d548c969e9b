// expect: livelock flags: -DFORGETS options: --livelock
// expect: verified options: --livelock
// expect: verified options: --ltl [](pool.free>=0&&pool.free<=1)
// expect: property options: --ltl []pool.free==1
//
// Two workers share a pool with one slot, and try until they get it. Who finds the pool closed FORGETS to give the slot
// back: then the other tries for ever.
#include <mutex>
#include <thread>

static struct Pool {
    std::mutex mutex;
    int free = 1;
    bool is_closed = false;
} pool;

static bool takes() {
    std::lock_guard<std::mutex> guard(pool.mutex);
    if (pool.free == 0) return false;
    pool.free--;
    return true;
}

static void work() {
    while (!takes()) {
    }
    std::lock_guard<std::mutex> guard(pool.mutex);
#ifdef FORGETS
    if (pool.is_closed) return;
#endif
    pool.free++;
}

int main() {
    std::thread other(work);
    {
        std::lock_guard<std::mutex> guard(pool.mutex);
        pool.is_closed = true;
    }
    work();
    other.join();
}
