#include "shared.h"

static thread_local int own = 2;
static long count = 20;

int Square::area() { return side * side; }

int second(int number) {
    own += number;
    count += own;
    return int(count);
}
