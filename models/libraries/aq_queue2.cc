// flags: -idirafter /usr/include
// expect: verified
// expect: data-race flags: -DBUG
//
// atomic_queue::AtomicQueue2, whose elements are any: a consumer sees what the producer wrote, and in order. BUG hands over
// a pointer and goes on writing behind it.
#include <atomic_queue/atomic_queue.h>
#include <cassert>
#include <thread>

struct Message {
    int number;
    int *payload;
};

int main() {
    atomic_queue::AtomicQueue2<Message, 2, false, false> queue;
    int payloads[] = {10, 20};
    std::thread producer([&] {
        for (int number = 0; number < 2; ++number) {
            ++payloads[number];
            queue.push(Message{number, &payloads[number]});
#ifdef BUG
            ++payloads[number];
#endif
        }
    });
    int next = 0;
    for (int attempt = 0; attempt < 2; ++attempt) {
        Message message;
        if (queue.try_pop(message)) {
            assert(message.number == next);
            assert(*message.payload == 10 * next + 11);
            ++next;
        }
    }
    producer.join();
}
