// Deep and mutual recursion.
#include <stdio.h>

static unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

static int is_odd(int number);
static int is_even(int number) {
    return number == 0 ? 1 : is_odd(number - 1);
}
static int is_odd(int number) {
    return number == 0 ? 0 : is_even(number - 1);
}

static void hanoi(int disks, char from, char to, char over, int *moves) {
    if (disks == 0) return;
    hanoi(disks - 1, from, over, to, moves);
    if (++*moves % 8 == 0) printf("%d: %c to %c\n", disks, from, to);
    hanoi(disks - 1, over, to, from, moves);
}

int main(void) {
    int moves = 0;
    hanoi(6, 'a', 'c', 'b', &moves);
    printf("%d %u %d %d\n", moves, ackermann(2, 9), is_even(500), is_odd(500));
    return moves;
}
