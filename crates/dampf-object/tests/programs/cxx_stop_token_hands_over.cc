// expect: verified
// expect: data-race flags: -DBUG
// flags: -std=c++20
//
// Whoever sees that it shall stop sees what was written before.
#include <stop_token>
#include <thread>

static int shared;

int main() {
    int seen = 1;
    {
        std::jthread worker([&seen](std::stop_token token) {
            if (token.stop_requested()) {
                seen = shared; // fault: data-race
            }
        });
#ifdef BUG
        worker.request_stop();
        shared = 1; // fault: data-race
#else
        shared = 1;
        worker.request_stop();
#endif
    }
    return seen != 1;
}
