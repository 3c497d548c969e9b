// expect: verified
// Once, whoever comes; again, if the first one threw.
#include <cassert>
#include <mutex>
#include <thread>

static std::once_flag once;
static int calls, completed;

static void initialise() {
    std::call_once(once, [] { completed++; });
    assert(completed == 1);
}

int main() {
    std::thread first(initialise), second(initialise);
    first.join();
    second.join();
    std::once_flag again;
    for (int i = 0; i < 2; i++) {
        try {
            std::call_once(again, [] {
                if (++calls == 1) throw 1;
            });
        } catch (int) {
        }
    }
    assert(completed == 1 && calls == 2);
    return 0;
}
