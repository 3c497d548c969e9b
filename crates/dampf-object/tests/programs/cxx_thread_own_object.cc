// expect: verified
// expect: data-race flags: -DASSIGNED
//
// The constructor of a thread comes before what the thread does, which may look at its own object; an assignment does
// not.
#include <semaphore.h>
#include <thread>

static sem_t done;
static bool is_same;

int main() {
    sem_init(&done, 0, 0);
    std::thread waiter([] { sem_wait(&done); });
#ifdef ASSIGNED
    std::thread worker;
    worker = std::thread([&worker] {
        is_same = worker.get_id() == std::this_thread::get_id(); // fault: data-race
    }); // fault: data-race
#else
    std::thread worker([&worker] { is_same = worker.get_id() == std::this_thread::get_id(); });
#endif
    worker.join();
    sem_post(&done);
    waiter.join();
    return is_same ? 0 : 1;
}
