// expect: verified
// expect: data-race flags: -DBUG
// Most of std::string is compiled into the library: what it does to the program's data counts all the same.
#include <cassert>
#include <mutex>
#include <string>
#include <thread>

static std::string text = "a text that is too long to be kept within the string";
static std::mutex mutex;

static void add() {
#ifndef BUG
    std::lock_guard<std::mutex> guard(mutex);
#endif
    text.append("!"); // fault: data-race
}

int main() {
    std::thread thread(add);
    add();
    thread.join();
    assert(text[text.size() - 1] == '!');
    return 0;
}
