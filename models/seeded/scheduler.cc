// flags: -DWORKERS=2
// expect: verified
// expect: assertion flags: -DBUG_READY_TWICE
// expect: deadlock flags: -DBUG_LAST_WAKES_NOBODY
// expect: assertion flags: -DBUG_STARTS_BEFORE_DONE
// expect: data-race flags: -DBUG_RESULT_UNLOCKED
//
// Jobs that depend on each other: a job is ready when all those that it needs are done. Workers take ready jobs until
// all are done. Seeded:
//
//  BUG_READY_TWICE           the last job becomes ready whenever one that it needs is done and none is left, seen with two looks
//  BUG_LAST_WAKES_NOBODY     whoever does the last job does not wake workers that wait for another one
//  BUG_STARTS_BEFORE_DONE    those who depend on a later job are told before it is done
//  BUG_RESULT_UNLOCKED       results of later jobs are kept in a table without a lock
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#ifndef WORKERS
#define WORKERS 2
#endif

class Job {
public:
    // What it needs, and how much it adds to that.
    Job(std::vector<int> needs, int amount) : needs(std::move(needs)), amount(amount) {}

    const std::vector<int> needs;
    const int amount;
    std::vector<int> dependents;
    std::atomic<int> missing{0};
    std::atomic<int> starts{0};
};

class Results {
public:
    void set(int job, int value) {
#ifdef BUG_RESULT_UNLOCKED
        if (job > 2) {
            values[job] = value;
            known++;
            return;
        }
#endif
        std::lock_guard<std::mutex> guard(mutex);
        values[job] = value;
        known++;
    }
    int get(int job) {
        std::lock_guard<std::mutex> guard(mutex);
        return values[job];
    }
    int count() {
        std::lock_guard<std::mutex> guard(mutex);
        return known;
    }

private:
    std::mutex mutex;
    int values[8] = {};
    int known = 0;
};

class Scheduler {
public:
    void add(Job *job) {
        int number = static_cast<int>(jobs.size());
        jobs.push_back(job);
        job->missing = static_cast<int>(job->needs.size());
        for (int needed : job->needs) jobs[needed]->dependents.push_back(number);
        if (job->needs.empty()) ready.push_back(number);
    }

    void run() {
        left = static_cast<int>(jobs.size());
        std::vector<std::thread> workers;
        for (int i = 0; i < WORKERS; i++) workers.emplace_back([this] { work(); });
        for (std::thread &worker : workers) worker.join();
        assert(results.count() == static_cast<int>(jobs.size()));
    }

    int result(int job) { return results.get(job); }

private:
    void work() {
        int number;
        while (take(number)) {
            Job &job = *jobs[number];
            assert(++job.starts == 1);
#ifdef BUG_STARTS_BEFORE_DONE
            bool tells_early = number > 2;
#else
            bool tells_early = false;
#endif
            if (tells_early) tell_dependents(job);
            int value = job.amount;
            for (int needed : job.needs) {
                int result = results.get(needed);
                assert(result > 0);
                value += result;
            }
            results.set(number, value);
            if (!tells_early) tell_dependents(job);
            finish();
        }
    }

    bool take(int &number) {
        std::unique_lock<std::mutex> lock(mutex);
        while (ready.empty() && left > 0) changed.wait(lock);
        if (ready.empty()) return false;
        number = ready.back();
        ready.pop_back();
        return true;
    }

    void tell_dependents(Job &job) {
        for (int number : job.dependents) {
#ifdef BUG_READY_TWICE
            bool is_ready;
            if (number == 5) {
                jobs[number]->missing--;
                is_ready = jobs[number]->missing == 0;
            } else {
                is_ready = --jobs[number]->missing == 0;
            }
#else
            bool is_ready = --jobs[number]->missing == 0;
#endif
            if (!is_ready) continue;
            std::lock_guard<std::mutex> guard(mutex);
            ready.push_back(number);
            changed.notify_one();
        }
    }

    void finish() {
        std::lock_guard<std::mutex> guard(mutex);
        left--;
#ifndef BUG_LAST_WAKES_NOBODY
        if (left == 0) changed.notify_all();
#endif
    }

    std::vector<Job *> jobs;
    Results results;
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<int> ready;
    int left = 0;
};

int main() {
    // Two that need nothing, one that needs both, two that need the third, and one that needs these.
    Job first({}, 1), second({}, 2), third({0, 1}, 4), fourth({2}, 8), fifth({2}, 16), sixth({3, 4}, 32);
    Scheduler scheduler;
    for (Job *job : {&first, &second, &third, &fourth, &fifth, &sixth}) scheduler.add(job);
    scheduler.run();
    assert(scheduler.result(5) == 70);
    return 0;
}
