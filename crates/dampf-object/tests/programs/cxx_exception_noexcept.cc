// expect: uncaught-exception
// flags: -Wno-terminate
// A function that promised not to throw.
__attribute__((noinline)) static void promise(int number) noexcept {
    if (number == 1) throw number; // fault: uncaught-exception
}

int main() {
    volatile int number = 1;
    try {
        promise(number);
    } catch (int) {
    }
    return 0;
}
