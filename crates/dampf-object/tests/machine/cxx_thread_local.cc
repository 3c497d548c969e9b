// Thread-local objects with constructors.
#include <iostream>
#include <string>
#include <thread>

struct Log {
    std::string text;
    explicit Log(const char *start) : text(start) {}
    ~Log() { std::cout << text << '\n'; }
};

static thread_local Log entries("log:");
static thread_local int count;

static void note(const char *what) {
    entries.text += ' ';
    entries.text += what;
    count++;
}

int main() {
    note("main");
    for (int i = 0; i < 3; i++) {
        std::thread thread([i] {
            for (int j = 0; j <= i; j++) note("thread");
            note(count == i + 1 ? "own" : "shared");
        });
        thread.join();
    }
    note("end");
    return count;
}
