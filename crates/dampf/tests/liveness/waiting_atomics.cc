// expect: verified flags: -std=c++20 options: --livelock
// expect: verified flags: -std=c++20 options: --starvation
// expect: livelock flags: -std=c++20 -DSILENT options: --starvation
// expect: livelock flags: -std=c++20 -DSILENT options: --livelock
//
// A thread waits on an atomic variable (a futex) for a value that another stores. SILENT notifies nobody: a thread that
// had begun to wait waits for ever, while the heart beats.
#include <atomic>
#include <thread>

static std::atomic<int> flag{0}, is_over{0};

static void waits() {
    flag.wait(0);
    is_over = 1;
}

int main() {
    std::thread waiter(waits), heart([] {
        while (!is_over) {
        }
    });
    flag.store(1);
#ifndef SILENT
    flag.notify_one();
#endif
    waiter.join();
    heart.join();
}
