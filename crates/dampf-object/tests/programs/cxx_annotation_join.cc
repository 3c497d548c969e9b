// expect: verified
// A thread object on the stack is waited for.
#include <dampf.h>

class Setter : public IVMThread {
public:
    int value = 0;

private:
    void run() override { value = 1; }
};

int main() {
    Setter setter;
    setter.start();
    setter.join();
    VASSERT(setter.value == 1);
    setter.join();
    return 0;
}
