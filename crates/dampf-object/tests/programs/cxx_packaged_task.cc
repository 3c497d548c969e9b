// expect: verified
// A task with a future.
#include <cassert>
#include <future>
#include <thread>
#include <utility>

int main() {
    std::packaged_task<int(int, int)> task([](int a, int b) { return a * b; });
    std::future<int> product = task.get_future();
    std::thread thread(std::move(task), 6, 7);
    assert(product.get() == 42);
    thread.join();
    return 0;
}
