// expect: verified
// expect: data-race flags: -DBUG
// What counts references to an object may be used by many threads; one pointer may not.
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

struct Configuration {
    int version;
    int limit;
};

static std::shared_ptr<Configuration> current = std::make_shared<Configuration>(Configuration{1, 10});
static std::mutex mutex;

static void update() {
    auto next = std::make_shared<Configuration>(Configuration{2, 20});
    std::lock_guard<std::mutex> guard(mutex);
    current = next; // fault: data-race
}

static void use() {
#ifdef BUG
    std::shared_ptr<Configuration> mine = current; // fault: data-race
#else
    std::unique_lock<std::mutex> lock(mutex);
    std::shared_ptr<Configuration> mine = current;
    lock.unlock();
#endif
    assert(mine->limit == mine->version * 10);
}

int main() {
    std::thread writer(update), reader(use);
    writer.join();
    reader.join();
}
