// expect: assertion
// expect: verified flags: -DTILES=0,2,1,3
//
// The sliding puzzle as a plan: a board of SIDE times SIDE tiles, one of them blank (0), is in order when each tile is at its
// own place. That it never gets there is asserted, so a violation is a solution, and the shortest trail is the shortest
// solution. Half of all boards cannot be solved. Larger boards are for searches that go by breadth or by a heuristic:
// -DSIDE=3 -DTILES=1,4,2,3,0,5,6,7,8
//
// How far the tiles are from their places is published, and never more than the moves that are left. So
// --search idastar finds a shortest solution, of the puzzle with 15 tiles too:
// -DSIDE=4 -DTILES=4,1,2,3,5,9,6,7,8,0,10,11,12,13,14,15
#include <dampf.h>
#include <stdlib.h>

#ifndef SIDE
#define SIDE 2
#endif
#ifndef TILES
#define TILES 3, 2, 1, 0
#endif
#define PLACES (SIDE * SIDE)

static unsigned char tiles[PLACES] = {TILES};
static int blank;

static int in_order(void) {
    for (int i = 0; i < PLACES; i++) {
        if (tiles[i] != i) return 0;
    }
    return 1;
}

// By how many rows and columns the tiles are away from their places, all together: the Manhattan distance.
static int distance(void) {
    int sum = 0;
    for (int i = 0; i < PLACES; i++) {
        int tile = tiles[i];
        if (tile != 0) sum += abs(tile / SIDE - i / SIDE) + abs(tile % SIDE - i % SIDE);
    }
    return sum;
}

static void shift(int to) {
    tiles[blank] = tiles[to];
    tiles[to] = 0;
    blank = to;
}

static void shift_up(void) {
    if (blank >= SIDE) shift(blank - SIDE);
}

static void shift_down(void) {
    if (blank < PLACES - SIDE) shift(blank + SIDE);
}

static void shift_left(void) {
    if (blank % SIDE > 0) shift(blank - 1);
}

static void shift_right(void) {
    if (blank % SIDE < SIDE - 1) shift(blank + 1);
}

int main(void) {
    while (tiles[blank] != 0) blank++;
    HEURISTIC(distance());
    while (1) {
        int move, solved;
        RANGE(move, 0, 3);
        BEGINATOMIC
        switch (move) {
        case 0: shift_up(); break;
        case 1: shift_down(); break;
        case 2: shift_left(); break;
        default: shift_right();
        }
        solved = in_order();
        HEURISTIC(distance());
        ENDATOMIC
        VASSERT(!solved); // fault: assertion
    }
}
