// expect: verified
// expect: verified flags: -DJUMP
// expect: verified flags: -DLIBRARY
// expect: variable-overflow flags: -DBUG
// Frames that an exception or a jump leaves take nothing back of what they said about themselves. Others use the place.
#include <csetjmp>
#include <cstring>
#include <stdexcept>
#include <string>

static std::jmp_buf place;

static int deep(int depth) {
    int numbers[16] = {depth};
    if (depth > 0) return deep(depth - 1) + numbers[depth % 16];
#ifdef JUMP
    std::longjmp(place, 1);
#elif defined(LIBRARY)
    return std::string("short").at(9);
#else
    throw std::runtime_error("deep");
#endif
}

static int *bounds(int *numbers) {
    return numbers;
}

static int narrow(int count) {
    int numbers[8];
    int *all = bounds(numbers);
    for (int i = 0; i < count; i++) all[i] = i; // fault: variable-overflow
    return all[7];
}

int main() {
#ifdef JUMP
    if (setjmp(place) == 0) deep(3);
#else
    try {
        deep(3);
    } catch (const std::exception &) {
    }
#endif
    char text[400];
    std::memset(text, 'x', sizeof text);
    std::string copy(text, sizeof text);
#ifdef BUG
    return narrow(9) + static_cast<int>(copy.size()) - 407;
#else
    return narrow(8) + static_cast<int>(copy.size()) - 407;
#endif
}
