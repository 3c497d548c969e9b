// expect: verified
// expect: data-race flags: -DBUG
// flags: -std=c++20
//
// What was written before a latch is counted down may be read behind it; what is written afterwards may not.
#include <latch>
#include <thread>

static std::latch latch(1);
static int shared;

int main() {
    std::thread worker([] {
#ifdef BUG
        latch.count_down();
        shared = 1; // fault: data-race
#else
        shared = 1;
        latch.count_down();
#endif
    });
    latch.wait();
    int seen = shared; // fault: data-race
    worker.join();
    return seen != 1;
}
