// Eight queens.
#include <stdio.h>

static int columns[8], solutions;

static void place(int row) {
    if (row == 8) {
        if (solutions++ % 10 == 0) {
            for (int i = 0; i < 8; i++) printf("%d", columns[i]);
            putchar('\n');
        }
        return;
    }
    for (int column = 0; column < 8; column++) {
        int free = 1;
        for (int i = 0; i < row && free; i++) {
            int distance = columns[i] - column;
            free = distance != 0 && distance != row - i && distance != i - row;
        }
        if (free) {
            columns[row] = column;
            place(row + 1);
        }
    }
}

int main(void) {
    place(0);
    printf("%d\n", solutions);
    return solutions;
}
