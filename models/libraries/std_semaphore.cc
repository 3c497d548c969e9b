// flags: -std=c++20
// expect: verified
// expect: data-race flags: -DBUG
//
// std::counting_semaphore and std::binary_semaphore: a buffer of one item between two threads. BUG begins with room for two.
#include <cassert>
#include <semaphore>
#include <thread>

#ifdef BUG
static std::counting_semaphore<2> room(2);
#else
static std::counting_semaphore<2> room(1);
#endif
static std::counting_semaphore<2> items(0);
static int slot;

int main() {
    std::jthread producer([] {
        for (int number = 1; number <= 2; ++number) {
            room.acquire();
            slot = number; // fault: data-race
            items.release();
        }
    });
    for (int number = 1; number <= 2; ++number) {
        items.acquire();
        assert(slot == number); // fault: data-race
        room.release();
    }
}
