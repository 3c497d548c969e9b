// expect: verified
// A local static variable is initialised once, by one of those who come.
#include <cassert>
#include <thread>

static int constructed;

struct Singleton {
    int value;
    Singleton() : value(++constructed) {}
    static Singleton &get() {
        static Singleton instance;
        return instance;
    }
};

int main() {
    std::thread thread([] { assert(Singleton::get().value == 1); });
    assert(Singleton::get().value == 1);
    thread.join();
    return 0;
}
