// A semaphore as a lock. The library's own implementation loses a wake-up now and then, which is not the program's fault; asked for,
// it is shown.
// flags: -std=c++20
// expect: verified
// expect: deadlock flags: -U_GLIBCXX_USE_POSIX_SEMAPHORE
#include <cassert>
#include <semaphore>
#include <thread>

std::binary_semaphore free_to_enter(1);
int inside;

void visit() {
    free_to_enter.acquire();
    assert(inside++ == 0);
    inside--;
    free_to_enter.release();
}

int main() {
    std::thread one(visit), other(visit);
    visit();
    one.join();
    other.join();
}
