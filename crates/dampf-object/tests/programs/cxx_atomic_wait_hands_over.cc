// expect: verified
// expect: data-race flags: -DBUG
// flags: -std=c++20
//
// One thread waits until an atomic variable changes; what it reads then was written before, or is being written.
#include <atomic>
#include <thread>

static std::atomic<int> stage;
static int shared;

int main() {
    std::thread worker([] {
#ifdef BUG
        stage.store(1);
        stage.notify_one();
        shared = 1; // fault: data-race
#else
        shared = 1;
        stage.store(1);
        stage.notify_one();
#endif
    });
    stage.wait(0);
    int seen = shared; // fault: data-race
    worker.join();
    return seen != 1;
}
