// expect: assertion
// expect: verified flags: -DTAGGED
//
// A lock-free stack. To pop, a thread looks at the top element and its successor, and puts the successor on top if the top is
// still the same. It may be the same again: popped, and pushed back when the successor was long gone. TAGGED counts the
// changes next to the top, so that it is never the same again.
#include <atomic>
#include <dampf.h>
#include <thread>

static constexpr int none = -1;

struct Top {
    int element;
#ifdef TAGGED
    int changes;
#endif
};

static std::atomic<Top> top;
static std::atomic<int> successors[3];
static std::atomic<bool> owned[3];

static Top changed(Top old, int element) {
#ifdef TAGGED
    return {element, old.changes + 1};
#else
    (void)old;
    return {element};
#endif
}

static int pop() {
    Top old = top.load();
    while (old.element != none && !top.compare_exchange_strong(old, changed(old, successors[old.element]))) {
    }
    if (old.element != none) {
        bool was_owned = owned[old.element].exchange(true);
        VASSERT(!was_owned); // fault: assertion
    }
    return old.element;
}

static void push(int element) {
    owned[element] = false;
    Top old = top.load();
    do {
        successors[element] = old.element;
    } while (!top.compare_exchange_strong(old, changed(old, element)));
}

int main() {
    BEGINATOMIC
    top = changed(Top(), none);
    push(0);
    push(1);
    ENDATOMIC
    std::thread other([] {
        int first = pop();
        pop();
        if (first != none) push(first);
    });
    pop();
    pop();
    other.join();
    return 0;
}
