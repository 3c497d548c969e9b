// expect: verified
// expect: data-race flags: -DBUG
//
// What is made once is there for all who ask for it to be made, and for nobody else.
#include <mutex>
#include <thread>

static std::once_flag flag;
static int made;

static void make() { made = 3; } // fault: data-race

int main() {
    int seen = 3;
    std::thread worker([&seen] {
#ifdef BUG
        seen = made ? made : 3; // fault: data-race
#else
        std::call_once(flag, make);
        seen = made;
#endif
    });
    std::call_once(flag, make);
    int mine = made;
    worker.join();
    return seen != 3 || mine != 3;
}
