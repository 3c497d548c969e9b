// expect: verified
// expect: deadlock flags: -DNESTED
//
// Workers take tasks from a queue, futures carry their results. With NESTED, a task waits for another task of the same pool:
// when all workers wait like that, nobody is left to do the work.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#ifndef WORKERS
#define WORKERS 1
#endif

class Pool {
public:
    Pool() {
        for (int i = 0; i < WORKERS; i++) workers.emplace_back([this] { work(); });
    }
    ~Pool() {
        {
            std::lock_guard<std::mutex> guard(mutex);
            closed = true;
        }
        changed.notify_all();
        for (std::thread &worker : workers) worker.join();
    }

    template <typename Function>
    std::future<int> submit(Function function) {
        auto task = std::make_shared<std::packaged_task<int()>>(std::move(function));
        std::future<int> result = task->get_future();
        {
            std::lock_guard<std::mutex> guard(mutex);
            tasks.emplace_back([task] { (*task)(); });
        }
        changed.notify_one();
        return result;
    }

private:
    void work() {
        while (true) {
            std::function<void()> task;
            {
                std::unique_lock<std::mutex> lock(mutex);
                changed.wait(lock, [this] { return closed || !tasks.empty(); });
                if (tasks.empty()) return;
                task = std::move(tasks.front());
                tasks.pop_front();
            }
            task();
        }
    }

    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> tasks;
    bool closed = false;
    std::vector<std::thread> workers;
};

int main() {
    Pool pool;
#ifdef NESTED
    std::future<int> result = pool.submit([&pool] { return pool.submit([] { return 20; }).get() + 1; });
#else
    std::future<int> result = pool.submit([] { return 21; });
#endif
    int value = result.get();
    assert(value == 21);
    return 0;
}
