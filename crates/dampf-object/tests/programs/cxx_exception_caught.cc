// expect: verified
// Exceptions unwind, destroy, are rethrown and caught by their bases.
#include <cassert>
#include <stdexcept>
#include <string>

static int destroyed;
struct Guard {
    ~Guard() { destroyed++; }
};

static void inner(int which) {
    Guard guard;
    if (which == 1) throw std::out_of_range("one");
    if (which == 2) throw 2;
}

static int outer(int which) {
    Guard guard;
    try {
        inner(which);
    } catch (const std::logic_error &error) {
        assert(std::string(error.what()) == "one");
        throw;
    }
    return 0;
}

int main() {
    int caught = 0;
    for (int which = 0; which < 3; which++) {
        try {
            outer(which);
        } catch (const std::exception &) {
            caught += 1;
        } catch (int number) {
            caught += 10 * number;
        }
    }
    assert(caught == 21 && destroyed == 6);
    return 0;
}
