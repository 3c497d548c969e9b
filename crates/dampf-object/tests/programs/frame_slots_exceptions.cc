// expect: verified
// expect: assertion flags: -DBUG
// What is read only where an exception was caught, or on its way, is kept while calls are under way.
#include <atomic>
#include <cassert>
#include <stdexcept>
#include <thread>

std::atomic<int> turns;

int stand() { return turns++; }

struct Noted {
    int &place;
    int value;
    Noted(int &place, int value) : place(place), value(value) { stand(); }
    ~Noted() {
        stand();
        place += value;
    }
};

int may_throw(int value) {
    stand();
    if (value > 1) {
        throw std::runtime_error("too large");
    }
    return value;
}

// The first value is read by the handler alone, the second one behind it.
int caught(int value) {
    int in_handler = value * 10, behind = value * 100, result = 0;
    try {
        int inside = value + 1;
        result = may_throw(value);
        stand();
        result += inside;
    } catch (const std::runtime_error &) {
        stand();
        result = in_handler;
    }
    stand();
    return result + behind;
}

// Nothing comes behind the call that throws but the handler.
int thrown_here(int value) {
    int in_handler = value + 7;
    try {
        stand();
        throw value;
    } catch (int number) {
        return in_handler + number;
    }
}

int unwound(int value) {
    int place = 0;
    try {
        Noted first(place, value), second(place, 10 * value);
        may_throw(value);
        stand();
    } catch (...) {
        place += 1000;
    }
    return place;
}

int main() {
    std::thread other([] { stand(); });
    assert(caught(1) == 103);
    assert(caught(2) == 220);
    assert(thrown_here(1) == 9);
    assert(unwound(1) == 11);
    assert(unwound(2) == 1022);
    other.join();
#ifdef BUG
    assert(caught(2) == 221); // fault: assertion
#endif
}
