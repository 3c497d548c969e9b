// expect: abort
// A thread object must not end before its thread is joined or detached.
#include <thread>

static void forget() {
    std::thread thread([] {}); // fault: abort
} // fault: abort

int main() {
    forget();
    return 0;
}
