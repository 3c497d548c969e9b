// expect: verified
// expect: data-race flags: -DBUG
//
// std::async and std::packaged_task: results come with what they are made of. BUG does not wait for the result.
#include <cassert>
#include <future>

static int side;

static int compute(int number) {
    side = number;
    return 2 * number;
}

int main() {
    std::future<int> result = std::async(std::launch::async, compute, 3);
#ifdef BUG
    assert(side == 0 || side == 3);
#endif
    assert(result.get() == 6);
    assert(side == 3);
    std::packaged_task<int(int)> task(compute);
    std::future<int> again = task.get_future();
    std::thread other(std::move(task), 4);
    assert(again.get() == 8);
    other.join();
}
