// expect: verified
// expect: data-race flags: -DBUG
// A lock that is made of a flag: taken in one exchange, or looked at first and set then.
#include <atomic>
#include <string>
#include <thread>

static std::string text;
static std::atomic<bool> busy{false};

static void say(const char *what) {
#ifdef BUG
    while (busy) {
    }
    busy = true;
#else
    while (busy.exchange(true)) {
    }
#endif
    text += what; // fault: data-race
    busy = false;
}

int main() {
    std::thread first(say, "first;"), second(say, "second;");
    first.join();
    second.join();
}
