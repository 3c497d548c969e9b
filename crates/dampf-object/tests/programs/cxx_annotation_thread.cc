// expect: verified
// expect: assertion flags: -DBUG
// The base class of threads; the program ends when all of them have ended.
#include <atomic>
#include <dampf.h>

static std::atomic<int> sum;

class Adder : public ICVMThread {
    void run() override { sum += ID; }
    void die() override {
#ifdef BUG
        VASSERT(sum != 5); // fault: assertion
#endif
    }
};

int main() {
    BEGINATOMIC
    for (int i = 0; i < 2; i++) (new Adder)->start();
    ENDATOMIC
    return 0;
}
