// expect: verified
// A detached thread may still run when main ends.
#include <atomic>
#include <thread>

static std::atomic<int> count;

int main() {
    std::thread([] { ++count; }).detach();
    return 0;
}
