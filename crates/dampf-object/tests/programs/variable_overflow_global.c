// expect: verified
// expect: variable-overflow flags: -DTO=6
// expect: variable-overflow flags: -DTO=5 -DCONSTANT
// expect: variable-overflow flags: -DTEXT
// Global variables have their bounds, whatever lies behind them.
#include <string.h>

#ifndef TO
#define TO 5
#endif

int before[5], numbers[5], behind[5];
#ifdef CONSTANT
static const int table[4] = {1, 2, 3, 4};
#endif

static int sum(const int *from) {
    int total = 0;
    for (int i = 0; i < TO; i++) total += from[i]; // fault: variable-overflow
    return total;
}

int main(void) {
    const char *volatile text = "four";
#ifdef TEXT
    return text[5]; // fault: variable-overflow
#elif defined(CONSTANT)
    return sum(table) - 10;
#else
    return sum(numbers) + before[4] + behind[0] + (int)strlen(text) - 4;
#endif
}
