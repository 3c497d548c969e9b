// expect: data-race
// expect: verified flags: -DFIX
// Both sides of the race are in functions of the library that are not in headers.
#include <mutex>
#include <string>
#include <thread>

static std::string text = "hello";
static std::mutex mutex;

static void change() {
#ifdef FIX
    std::lock_guard guard(mutex);
#endif
    text.replace(0, 1, "j"); // fault: data-race
}

int main() {
    std::thread thread(change);
    {
#ifdef FIX
        std::lock_guard guard(mutex);
#endif
        if (text.find("e") != 1) return 1; // fault: data-race
    }
    thread.join();
}
