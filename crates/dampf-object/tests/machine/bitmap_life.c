// Conway's game of life on a torus.
#include <stdio.h>
#include <string.h>

#define SIZE 16

static unsigned char board[SIZE][SIZE], next[SIZE][SIZE];

int main(void) {
    static const char glider[3][4] = {".#.", "..#", "###"};
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 3; x++) board[y][x] = glider[y][x] == '#';
    board[10][8] = board[10][9] = board[10][10] = 1;
    int alive = 0;
    for (int round = 0; round < 40; round++) {
        alive = 0;
        for (int y = 0; y < SIZE; y++) {
            for (int x = 0; x < SIZE; x++) {
                int around = -board[y][x];
                for (int j = -1; j <= 1; j++)
                    for (int i = -1; i <= 1; i++) around += board[(y + j + SIZE) % SIZE][(x + i + SIZE) % SIZE];
                next[y][x] = around == 3 || (board[y][x] && around == 2);
                alive += next[y][x];
            }
        }
        memcpy(board, next, sizeof board);
    }
    for (int y = 0; y < SIZE; y++) {
        for (int x = 0; x < SIZE; x++) putchar(board[y][x] ? '#' : '.');
        putchar('\n');
    }
    return alive;
}
