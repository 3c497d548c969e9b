// expect: verified
// expect: data-race flags: -DBUG
// flags: -std=c++20
//
// A block is written by turns, as two semaphores say.
#include <semaphore>
#include <thread>

static std::counting_semaphore<2> full(0), empty(1);
static int block;

int main() {
    std::thread producer([] {
        for (int round = 1; round <= 2; round++) {
#ifndef BUG
            empty.acquire();
#endif
            block = round; // fault: data-race
            full.release();
        }
    });
    int sum = 0;
    for (int round = 0; round < 2; round++) {
        full.acquire();
        sum += block; // fault: data-race
        empty.release();
    }
    producer.join();
    return sum != 3;
}
