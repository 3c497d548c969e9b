// expect: verified
// Asking a future whether it is ready.
#include <cassert>
#include <chrono>
#include <future>
#include <thread>

int main() {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread thread([&promise] { promise.set_value(1); });
    std::future_status status = future.wait_for(std::chrono::seconds(0));
    assert(status == std::future_status::ready || status == std::future_status::timeout);
    thread.join();
    assert(future.wait_for(std::chrono::seconds(0)) == std::future_status::ready);
    return future.get() - 1;
}
