// expect: verified
// flags: -std=c++20
// A coroutine that is resumed by another thread.
#include <cassert>
#include <coroutine>
#include <thread>

struct Task {
    struct promise_type {
        Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};

static Task count(int *number) {
    ++*number;
    co_await std::suspend_always();
    ++*number;
}

int main() {
    int number = 0;
    Task task = count(&number);
    task.handle.resume();
    assert(number == 1);
    std::thread thread([&task] { task.handle.resume(); });
    thread.join();
    assert(number == 2 && task.handle.done());
    task.handle.destroy();
    return 0;
}
