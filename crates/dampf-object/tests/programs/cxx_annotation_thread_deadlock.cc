// expect: verified
// expect: deadlock flags: -DBUG
// Threads that block each other, after main has returned.
#include <dampf.h>

class Taker : public ICVMThread {
public:
    Taker(int *first, int *second) : first(first), second(second) {}

private:
    void run() override {
        VLOCK(first);
        VLOCK(second);
        VUNLOCK(second);
        VUNLOCK(first);
    }
    int *first, *second;
};

static int left, right;

int main() {
    (new Taker(&left, &right))->start();
#ifdef BUG
    (new Taker(&right, &left))->start();
#else
    (new Taker(&left, &right))->start();
#endif
    return 0;
}
