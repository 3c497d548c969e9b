// expect: verified
// expect: data-race flags: -DBUG
//
// A promise is kept behind the last write, or before it.
#include <future>
#include <thread>

static int shared;

int main() {
    std::promise<int *> promise;
    std::future<int *> future = promise.get_future();
    std::thread worker([&promise] {
#ifdef BUG
        promise.set_value(&shared);
        shared = 1; // fault: data-race
#else
        shared = 1;
        promise.set_value(&shared);
#endif
    });
    int seen = *future.get(); // fault: data-race
    worker.join();
    return seen != 1;
}
