// expect: verified
// expect: data-race flags: -DBUG
//
// An object is deleted through its base class: the destructor writes the object before its memory goes.
#include <mutex>
#include <thread>

struct Base {
    virtual ~Base() {}
    virtual int value() const { return 0; } // fault: data-race
};

struct Derived : Base {
    ~Derived() override { number = 0; } // fault: data-race
    int value() const override { return number; } // fault: data-race
    int number = 4;
};

static std::mutex mutex;
static Base *object = new Derived;
static int seen;

int main() {
    std::thread user([] {
        std::unique_lock<std::mutex> lock(mutex);
        Base *found = object;
#ifdef BUG
        lock.unlock();
#endif
        if (found) {
            seen = found->value(); // fault: data-race
        }
    });
    {
        std::lock_guard<std::mutex> lock(mutex);
        delete object; // fault: data-race
        object = nullptr;
    }
    user.join();
    return seen != 0 && seen != 4;
}
