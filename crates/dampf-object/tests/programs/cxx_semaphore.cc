// expect: verified
// expect: data-race flags: -DCOUNT=2
// flags: -std=c++20
// A counting semaphore that lets one in, and one that lets two in.
#include <cassert>
#include <semaphore>
#include <thread>

#ifndef COUNT
#define COUNT 1
#endif

static std::counting_semaphore<2> semaphore(COUNT);
static int counter;

static void count() {
    semaphore.acquire();
    counter++; // fault: data-race
    semaphore.release();
}

int main() {
    {
        std::jthread first(count), second(count);
    }
    assert(counter == 2);
    assert(semaphore.try_acquire());
    return 0;
}
