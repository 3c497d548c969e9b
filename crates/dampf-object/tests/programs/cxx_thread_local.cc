// expect: verified
// Every thread has its own, made when it is first used and destroyed when the thread ends.
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> made, destroyed;

struct Own {
    int value = 0;
    Own() { ++made; }
    ~Own() { ++destroyed; }
};

static thread_local Own own;

int main() {
    own.value = 1;
    std::thread thread([] {
        own.value += 5;
        assert(own.value == 5);
    });
    thread.join();
    assert(own.value == 1 && made == 2 && destroyed == 1);
    return 0;
}
