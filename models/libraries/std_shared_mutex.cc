// expect: verified
// expect: data-race flags: -DBUG
//
// std::shared_mutex: readers share, a writer is alone. BUG writes with the lock of readers.
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex mutex;
static int left, right;

static void write() {
#ifdef BUG
    std::shared_lock<std::shared_mutex> lock(mutex);
#else
    std::unique_lock<std::shared_mutex> lock(mutex);
#endif
    ++left;
    ++right;
}

static void read() {
    std::shared_lock<std::shared_mutex> lock(mutex);
    assert(left == right);
}

int main() {
    std::thread writer(write), reader(read);
    write();
    writer.join();
    reader.join();
    assert(left == 2);
}
