// expect: verified
// expect: uninitialised-read options: --uninitialised
// expect: verified flags: -DFIX options: --uninitialised
// A decision on what an earlier call left on the stack.
__attribute__((noinline)) static void fill(int *at, int value) {
    if (value != 0) *at = value;
}

__attribute__((noinline)) static int read(const int *at) {
    return *at == 12345; // fault: uninitialised-read
}

int main(void) {
    int local;
#ifdef FIX
    volatile int value = 7;
#else
    volatile int value = 0;
#endif
    fill(&local, value);
    return read(&local) ? 0 : 0;
}
