// expect: verified
// expect: verified flags: -DPRODUCERS=2
// expect: deadlock flags: -DONE_CONDITION -DPRODUCERS=2 -DCONSUMERS=2
//
// Producers and consumers with a buffer between them. With ONE_CONDITION, those who wait for room and those who wait for an
// item wait at the same condition variable: the one that is notified may be of the wrong kind, and the notification is lost.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#ifndef PRODUCERS
#define PRODUCERS 1
#endif
#ifndef CONSUMERS
#define CONSUMERS 1
#endif
#define CAPACITY 1

class Buffer {
public:
    void put(int item) {
        std::unique_lock<std::mutex> lock(mutex);
        room().wait(lock, [this] { return count < CAPACITY; });
        items[(first + count++) % CAPACITY] = item;
        filled().notify_one();
    }
    int take() {
        std::unique_lock<std::mutex> lock(mutex);
        filled().wait(lock, [this] { return count > 0; });
        int item = items[first];
        first = (first + 1) % CAPACITY;
        count--;
        room().notify_one();
        return item;
    }

private:
    std::condition_variable &room() { return conditions[0]; }
#ifdef ONE_CONDITION
    std::condition_variable &filled() { return conditions[0]; }
#else
    std::condition_variable &filled() { return conditions[1]; }
#endif

    std::mutex mutex;
    std::condition_variable conditions[2];
    int items[CAPACITY] = {}, first = 0, count = 0;
};

int main() {
    // Everybody moves the same number of items in the end.
    constexpr int each = PRODUCERS == CONSUMERS ? 1 : CONSUMERS;
    constexpr int taken = PRODUCERS * each / CONSUMERS;
    Buffer buffer;
    std::vector<std::thread> threads;
    for (int i = 0; i < PRODUCERS; i++) {
        threads.emplace_back([&buffer] {
            for (int item = 0; item < each; item++) buffer.put(7);
        });
    }
    for (int i = 0; i < CONSUMERS; i++) {
        threads.emplace_back([&buffer] {
            for (int item = 0; item < taken; item++) {
                int received = buffer.take();
                assert(received == 7);
            }
        });
    }
    for (std::thread &thread : threads) thread.join();
    return 0;
}
