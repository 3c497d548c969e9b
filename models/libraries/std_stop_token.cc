// flags: -std=c++20
// expect: verified
// expect: deadlock flags: -DBUG
// expect: assertion flags: -DALWAYS
//
// std::jthread, std::stop_token and a condition variable that knows of it: the thread ends when it is asked to. BUG waits
// as if the condition variable did not. ALWAYS takes it that a callback is always called: but the thread may see that it
// was asked, and take the callback back, before it is called.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

static std::mutex mutex;
static std::condition_variable_any changed;
static int callbacks;

int main() {
    {
        std::jthread worker([](std::stop_token token) {
            std::stop_callback callback(token, [] { ++callbacks; });
            std::unique_lock<std::mutex> lock(mutex);
#ifdef BUG
            changed.wait(lock, [&] { return token.stop_requested(); });
#else
            changed.wait(lock, token, [] { return false; });
#endif
            assert(token.stop_requested());
        });
    }
#ifdef ALWAYS
    assert(callbacks == 1); // fault: assertion
#endif
    assert(callbacks <= 1);
}
