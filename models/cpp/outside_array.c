// expect: undefined-behaviour
// expect: verified flags: -DINDEX=99
//
// An element that a local array does not have. The memory is there, it only belongs to somebody else: no operating system
// complains.
#ifndef INDEX
#define INDEX 500
#endif

int main(void) {
    int numbers[100];
    volatile int index = INDEX;
    numbers[index] = 42; // fault: undefined-behaviour
    return numbers[index] - 42;
}
