// expect: verified options: --ltl []<>idle
// expect: property options: --ltl <>[]idle
// expect: verified options: --ltl [](in(beat)->mode==BEATING)
// expect: verified options: --ltl []<>at(propositions.c:28)
// expect: property options: --ltl []mode!=STILL
// expect: property options: --ltl []!(table[1].count==2)
// expect: verified options: --ltl [](table[1].count<=2)
// expect: verified options: --ltl []<>x --ap x=table[0].count==0
//
// What formulas can look at: variables of one thread that is alone, members, elements, enumerators, lines, functions,
// and what the source itself publishes.
#include <dampf.h>

enum Mode { STILL, BEATING };
static enum Mode mode = BEATING;
static struct {
    int count;
} table[2];

static void beat(void) {
    table[1].count = 1;
    table[1].count = 2;
    table[1].count = 0;
}

int main(void) {
    for (;;) {
        beat();
        mode = STILL;
        for (int i = 0; i < 2; i++) PROP(idle, i == 0)
        mode = BEATING;
    }
}
