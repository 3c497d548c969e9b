// expect: assertion
// expect: verified flags: -DN=1
//
// N threads change one number without agreeing on an order. Threads are numbered from 2, the main thread being 1:
// with two of them the number becomes 8 only if thread 3 goes before thread 2, (((0 + 1) * 3) + 1) * 2.
// After the first example of the StEAM model checker. The number is atomic, so that the order alone is at fault.
#include <atomic>
#include <dampf.h>

#ifndef N
#define N 2
#endif

static std::atomic<int> number;

class Changer : public ICVMThread {
    void run() override { number = (number + 1) * ID; }
};

int main() {
    Changer *changers[N];
    BEGINATOMIC
    for (Changer *&changer : changers) {
        changer = new Changer;
        changer->start();
    }
    ENDATOMIC
    VASSERT(number != 8); // fault: assertion
    return 0;
}
