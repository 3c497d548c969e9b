// expect: undefined-behaviour
// expect: undefined-behaviour flags: -DINDEX=-1
// expect: verified flags: -DINDEX=99
// An index outside of a local array.
#ifndef INDEX
#define INDEX 500
#endif

int main(void) {
    int numbers[100] = {0};
    volatile int index = INDEX;
    numbers[index] = 42; // fault: undefined-behaviour
    return numbers[99] == 1;
}
