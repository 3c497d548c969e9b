// flags: -DWORKERS=2 -DTASKS=3
// expect: verified
// expect: deadlock flags: -DBUG_STOP_UNLOCKED
// expect: assertion flags: -DBUG_STOP_DROPS
// expect: deadlock flags: -DBUG_IDLE_WAKES_NOBODY
// expect: use-after-free flags: -DBUG_TASK_FREED
//
// Workers that take tasks from a list; whoever has submitted tasks can wait until nothing is left to do. The pool is
// stopped when its object ends, after all that was submitted is done. Seeded:
//
//  BUG_STOP_UNLOCKED       the pool is told to stop without the lock, between a worker's look and its wait
//  BUG_STOP_DROPS          workers stop though tasks are left
//  BUG_IDLE_WAKES_NOBODY   a worker that finds nothing left to do wakes nobody who waits for that, if it has taken the last task
//  BUG_TASK_FREED          a large task is deleted before it is through
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#ifndef WORKERS
#define WORKERS 1
#endif
#ifndef TASKS
#define TASKS 1
#endif

class Pool;

// A piece of work, which may ask for more of it.
class Task {
public:
    Task(int amount, int children) : amount(amount), children(children) {}
    void run(Pool &pool);

    Task *next = nullptr;

private:
    int amount;
    int children;
};

class Pool {
public:
    explicit Pool(int &result) : result(result) {
        for (int i = 0; i < WORKERS; i++) workers.emplace_back([this] { work(); });
    }

    ~Pool() {
#ifdef BUG_STOP_UNLOCKED
        is_stopped = true;
#else
        {
            std::lock_guard<std::mutex> guard(mutex);
            is_stopped = true;
        }
#endif
        is_work_there.notify_all();
        for (std::thread &worker : workers) worker.join();
    }

    void submit(Task *task) {
        std::lock_guard<std::mutex> guard(mutex);
        task->next = first;
        first = task;
        pending++;
        is_work_there.notify_one();
    }

    // Waits until everything that was submitted is done.
    void wait_idle() {
        std::unique_lock<std::mutex> lock(mutex);
        while (pending > 0) is_idle.wait(lock);
    }

    void add(int amount) {
        std::lock_guard<std::mutex> guard(result_mutex);
        result += amount;
    }

    int total() {
        std::lock_guard<std::mutex> guard(result_mutex);
        return result;
    }

private:
    void work() {
        while (Task *task = take()) {
            task->run(*this);
#ifndef BUG_TASK_FREED
            delete task;
#endif
            finish();
        }
    }

    Task *take() {
        std::unique_lock<std::mutex> lock(mutex);
#ifdef BUG_STOP_DROPS
        while (!first && !is_stopped) is_work_there.wait(lock);
        if (is_stopped) return nullptr;
#else
        while (!first && !is_stopped) is_work_there.wait(lock);
        if (!first) return nullptr;
#endif
        Task *task = first;
        first = task->next;
        return task;
    }

    void finish() {
        std::lock_guard<std::mutex> guard(mutex);
        bool is_last = --pending == 0;
#ifdef BUG_IDLE_WAKES_NOBODY
        is_last = is_last && first;
#endif
        if (is_last) is_idle.notify_all();
    }

    std::mutex mutex, result_mutex;
    std::condition_variable is_work_there, is_idle;
    Task *first = nullptr;
    int pending = 0, &result;
#ifdef BUG_STOP_UNLOCKED
    std::atomic<bool> is_stopped{false};
#else
    bool is_stopped = false;
#endif
    std::vector<std::thread> workers;
};

void Task::run(Pool &pool) {
    for (int i = 0; i < children; i++) pool.submit(new Task(amount, 0));
#ifdef BUG_TASK_FREED
    bool is_large = amount >= 100;
    if (!is_large) pool.add(amount);
    delete this;
    if (is_large) pool.add(amount);
#else
    pool.add(amount);
#endif
}

int main() {
    int result = 0, expected = 0;
    {
        Pool pool(result);
        for (int i = 1; i < TASKS; i++) {
            pool.submit(new Task(i, 0));
            expected += i;
        }
        pool.submit(new Task(10, 1));
        expected += 20;
        pool.wait_idle();
        assert(pool.total() == expected);
        pool.submit(new Task(100, 0));
        expected += 100;
        // Nobody waits for the last one: the end of the pool does.
    }
    assert(result == expected);
    return 0;
}
