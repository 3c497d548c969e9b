// expect: undefined-behaviour
// flags: -Wno-return-type
// Leaving a function without the value it promises.
__attribute__((noinline)) static int sign(int number) { // fault: undefined-behaviour
    if (number > 0) return 1;
} // fault: undefined-behaviour

int main() {
    volatile int number = -1;
    return sign(number);
}
