// Loops and branches.
#include <stdio.h>

int main(void) {
    unsigned long best = 0, length = 0;
    for (unsigned long start = 1; start < 3000; start++) {
        unsigned long number = start, steps = 0;
        while (number != 1) {
            number = number % 2 ? 3 * number + 1 : number / 2;
            steps++;
        }
        if (steps > length) {
            length = steps;
            best = start;
            printf("%lu %lu\n", best, length);
        }
    }
    return (int)length;
}
