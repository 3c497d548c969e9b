// expect: verified
// expect: abort flags: -DBUG
// flags: -D_GLIBCXX_ASSERTIONS
// Whether there is a job is asked under the lock under which it is taken, or under one before. The library says what is
// wrong with the front of an empty queue.
#include <deque>
#include <mutex>
#include <thread>

struct Job {
    int number;
    bool urgent;
};

static std::deque<Job> jobs;
static std::mutex mutex;
static int done;

static void work() {
    std::unique_lock<std::mutex> lock(mutex);
    bool has_job = !jobs.empty();
#ifdef BUG
    lock.unlock();
    lock.lock();
#endif
    if (has_job) {
        Job job = jobs.front(); // fault: abort
        jobs.pop_front();
        done += job.number;
    }
}

int main() {
    jobs.push_back({5, false});
    std::thread first(work), second(work);
    first.join();
    second.join();
}
