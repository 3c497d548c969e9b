// One of two files that use the same names for different things.
#include "shared.h"

static thread_local int own = 1;
static int count = 10;
Shape *shape;
Square square;

inline int inlined_counter = 3;

__attribute__((noinline, used)) static int unused_or_not(int number) { return number + count; }

int first(int number) {
    own += number;
    return own + unused_or_not(number) + inlined_counter;
}

int unused(int number) { return number * 3; }

int main() {
    shape = &square;
    return first(1) + second(2) + shape->area();
}
