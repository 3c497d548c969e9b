// expect: verified flags: -DBLOCKS=4
//
// The world of blocks, as planners know it: blocks stand on a table or on each other, and a hand takes the upper block
// of a pile to another pile or to the table. The goal is one pile in order, block 1 on the table and the last on top.
//
//   dampf plan models/plan/blocks.cc --goal solved
//   dampf plan models/plan/blocks.cc --goal solved -- 3 0 1 2 4
//
// The arguments say for each block what it stands on: another block, or the table (0). EVALUATE says how many blocks are
// where they belong, from the table up, for --search best-first.
#include <dampf.h>
#include <stdio.h>
#include <stdlib.h>

enum { TABLE = 0, BLOCKS_MAX = 9 };
#ifndef BLOCKS
#define BLOCKS 5
#endif

static int blocks = BLOCKS;
static int below[BLOCKS_MAX + 1] = {0, 3, TABLE, 2, 1, 4}; // what each block stands on
static bool solved;

static bool is_clear(int block) {
    for (int other = 1; other <= blocks; other++) {
        if (below[other] == block) return false;
    }
    return true;
}

static void look() {
    int in_place = 0;
    while (in_place < blocks && below[in_place + 1] == in_place) in_place++;
    EVALUATE(in_place);
    if (in_place == blocks) solved = true;
}

static void move(int block, int onto) {
    below[block] = onto;
    look();
}

static void read_blocks(int argc, char **argv) {
    blocks = argc - 1;
    for (int block = 1; block < argc && blocks <= BLOCKS_MAX; block++) below[block] = atoi(argv[block]);
    for (int block = 1; block <= blocks; block++) {
        bool stands = blocks <= BLOCKS_MAX && below[block] >= TABLE && below[block] <= blocks;
        for (int other = 1; stands && other < block; other++) stands = below[other] != below[block] || below[block] == TABLE;
        int at = block;
        for (int steps = 0; stands && at != TABLE && steps <= blocks; steps++) at = below[at];
        if (!stands || at != TABLE) {
            fprintf(stderr, "up to %d blocks, each on the table or on another one that is clear\n", BLOCKS_MAX);
            exit(2);
        }
    }
}

int main(int argc, char **argv) {
    if (argc > 1) read_blocks(argc, argv);
    look();
    while (!solved) {
        // All that the hand can do, and one of it.
        int moved[BLOCKS_MAX * BLOCKS_MAX], onto[BLOCKS_MAX * BLOCKS_MAX], count = 0, choice;
        for (int block = 1; block <= blocks; block++) {
            for (int place = TABLE; is_clear(block) && place <= blocks; place++) {
                bool is_possible = place == TABLE ? below[block] != TABLE : place != block && is_clear(place);
                if (is_possible) moved[count] = block, onto[count++] = place;
            }
        }
        if (count == 0) break;
        RANGE(choice, 0, count - 1);
        move(moved[choice], onto[choice]);
    }
    return 0;
}
