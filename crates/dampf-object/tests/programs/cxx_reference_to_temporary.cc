// expect: data-race
// An object without a name that a reference keeps alive is shared like any other.
#include <thread>

struct Pair {
    int first = 1;
    int rest[10];
    Pair() {}
};

static Pair &&pair = Pair();

int main() {
    std::thread thread([] { pair.first++; }); // fault: data-race
    pair.first++;                             // fault: data-race
    thread.join();
}
