// expect: assertion
// expect: verified flags: -DTILES=0,2,1,3
//
// The sliding puzzle as a plan: a board of SIDE times SIDE tiles, one of them blank (0), is in order when each tile is at its
// own place. That it never gets there is asserted, so a violation is a solution, and the shortest trail is the shortest
// solution. Half of all boards cannot be solved. Larger boards are for searches that go by breadth or by a heuristic:
// -DSIDE=3 -DTILES=1,4,2,3,0,5,6,7,8
#include <dampf.h>

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
        ENDATOMIC
        VASSERT(!solved); // fault: assertion
    }
}
