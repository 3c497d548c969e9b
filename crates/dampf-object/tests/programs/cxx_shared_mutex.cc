// expect: verified
// expect: data-race flags: -DBUG
// Many readers or one writer.
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex mutex;
static int first_half, second_half;

static void read() {
    std::shared_lock lock(mutex);
    assert(first_half == second_half); // fault: data-race
}

int main() {
    std::thread reader(read);
    {
#ifdef BUG
        std::shared_lock lock(mutex);
#else
        std::unique_lock lock(mutex);
#endif
        first_half++; // fault: data-race
        second_half++; // fault: data-race
    }
    reader.join();
    return 0;
}
