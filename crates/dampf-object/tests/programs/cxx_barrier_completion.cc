// expect: verified
// expect: data-race flags: -DBUG
// flags: -std=c++20
//
// What is to be done when all have arrived is done while nobody else goes on.
#include <barrier>
#include <thread>

static int parts[2], sum;

struct Adds {
    void operator()() noexcept { sum = parts[0] + parts[1]; } // fault: data-race
};

static std::barrier<Adds> barrier(2);

static int work(int own) {
    parts[own] = own + 1;
#ifdef BUG
    auto token = barrier.arrive();
    parts[own] = 5; // fault: data-race
    barrier.wait(std::move(token));
#else
    barrier.arrive_and_wait();
#endif
    return sum;
}

int main() {
    static int other;
    std::thread worker([] { other = work(1); });
    int own = work(0);
    worker.join();
#ifdef BUG
    return 0;
#else
    return own != 3 || other != 3;
#endif
}
