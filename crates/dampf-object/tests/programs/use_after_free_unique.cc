// expect: use-after-free
// The owner of a message ends while somebody else still has a pointer to it.
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

struct Message {
    int number;
    char text[8];
};

static std::atomic<Message *> slot;

static void send() {
    auto message = std::make_unique<Message>();
    message->number = 7;
    slot = message.get();
}

static void receive() {
    Message *message = slot;
    if (message) assert(message->number == 7); // fault: use-after-free
}

int main() {
    std::thread sender(send), receiver(receive);
    sender.join();
    receiver.join();
}
