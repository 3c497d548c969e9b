// expect: undefined-behaviour
// Coming where nobody can come.
__attribute__((noinline)) static int sign(int number) {
    switch (number > 0) {
    case 1: return 1;
    }
    __builtin_unreachable(); // fault: undefined-behaviour
}

int main(void) {
    volatile int number = -1;
    return sign(number);
}
