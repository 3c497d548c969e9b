// expect: stack-overflow
// A recursion without an end.
__attribute__((noinline)) static int depth(volatile int *of) { // fault: stack-overflow
    volatile int frame[64] = {*of}; // fault: stack-overflow
    return *of < 0 ? 0 : 1 + depth(&frame[0]); // fault: stack-overflow
}

int main(void) {
    volatile int start = 0;
    return depth(&start);
}
