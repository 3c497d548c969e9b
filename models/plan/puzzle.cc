// expect: verified flags: -DSIDE=2
//
// The n*n-1 puzzle: a board of n times n places with tiles, one place is blank (0). A move shifts a tile into the blank
// place. In order, each tile is at the place of its own number. The board is given as the thesis gives it, its side
// first; without arguments it is the one of the thesis:
//
//   dampf plan models/plan/puzzle.cc --goal solved -- 3 1 4 2 3 7 5 6 8 0
//
// There are no agents here, so this is planning alone: breadth-first search finds a shortest plan. What EVALUATE says is
// how near the tiles are to their places, for --search best-first, which finds some plan sooner.
#include <dampf.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE_MAX = 5 };
#ifndef SIDE
#define SIDE 3
#endif

static int side = SIDE;
static int tiles[SIDE_MAX * SIDE_MAX];
static int blank;
static bool solved;

static int distance(int place, int tile) {
    return abs(place / side - tile / side) + abs(place % side - tile % side);
}

static void look() {
    int sum = 0;
    for (int place = 0; place < side * side; place++) {
        if (tiles[place] != 0) sum += distance(place, tiles[place]);
    }
    EVALUATE(2 * side * side * side - sum);
    if (sum == 0) solved = true;
}

static void shift_from(int place) {
    tiles[blank] = tiles[place];
    tiles[place] = 0;
    blank = place;
    look();
}

static void shift_up() {
    if (blank >= side) shift_from(blank - side);
}

static void shift_down() {
    if (blank + side < side * side) shift_from(blank + side);
}

static void shift_left() {
    if (blank % side > 0) shift_from(blank - 1);
}

static void shift_right() {
    if (blank % side < side - 1) shift_from(blank + 1);
}

static void read_board(int argc, char **argv) {
    side = atoi(argv[1]);
    if (side < 2 || side > SIDE_MAX || argc != side * side + 2) {
        fprintf(stderr, "a side from 2 to %d, and as many tiles as there are places\n", SIDE_MAX);
        exit(2);
    }
    bool is_there[SIDE_MAX * SIDE_MAX] = {};
    for (int place = 0; place < side * side; place++) {
        int tile = atoi(argv[place + 2]);
        if (tile < 0 || tile >= side * side || is_there[tile]) {
            fprintf(stderr, "each tile from 0 on is on the board once\n");
            exit(2);
        }
        is_there[tile] = true;
        tiles[place] = tile;
    }
}

int main(int argc, char **argv) {
    static const int small[] = {3, 2, 1, 0}, example[] = {1, 4, 2, 3, 7, 5, 6, 8, 0};
    for (int place = 0; place < side * side; place++) tiles[place] = side == 2 ? small[place] : example[place];
    if (argc > 1) read_board(argc, argv);
    while (tiles[blank] != 0) blank++;
    look();
    while (!solved) {
        int move;
        RANGE(move, 0, 3);
        switch (move) {
        case 0: shift_up(); break;
        case 1: shift_down(); break;
        case 2: shift_left(); break;
        default: shift_right();
        }
    }
    return 0;
}
