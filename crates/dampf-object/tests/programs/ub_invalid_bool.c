// expect: undefined-behaviour
// A truth value that is neither.
#include <stdbool.h>
#include <string.h>

struct flags {
    bool flag;
};

int main(void) {
    struct flags flags;
    volatile unsigned char byte = 7;
    unsigned char copy = byte;
    memcpy(&flags, &copy, 1);
    struct flags *volatile at = &flags;
    return at->flag ? 0 : 1; // fault: undefined-behaviour
}
