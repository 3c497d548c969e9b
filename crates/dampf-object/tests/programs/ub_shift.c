// expect: undefined-behaviour flags: -DBY=32
// expect: undefined-behaviour flags: -DBY=-1
// expect: undefined-behaviour flags: -DBY=31
// expect: verified flags: -DBY=29
// Shifts further than a type is wide, backwards, and into the sign.
int main(void) {
    volatile int by = BY;
    int shifted = 3 << by; // fault: undefined-behaviour
    return shifted == 0;
}
