// expect: verified
// expect: uncaught-exception flags: -DBUG
// An exception travels to whoever asks; a broken promise is one.
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>

int main() {
    std::promise<void> promise;
    std::future<void> future = promise.get_future();
    std::thread thread([&promise] { promise.set_exception(std::make_exception_ptr(std::runtime_error("sent"))); });
    thread.join();
#ifndef BUG
    try {
#endif
        future.get(); // fault: uncaught-exception
#ifndef BUG
        assert(false);
    } catch (const std::runtime_error &error) {
        assert(error.what()[0] == 's');
    }
#endif
    std::future<int> broken = std::promise<int>().get_future();
    try {
        broken.get();
        assert(false);
    } catch (const std::future_error &error) {
        assert(error.code() == std::future_errc::broken_promise);
    }
    return 0;
}
