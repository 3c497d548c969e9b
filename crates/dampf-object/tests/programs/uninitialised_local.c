// expect: verified
// expect: uninitialised-read options: --uninitialised
// expect: uninitialised-read flags: -DINDEX options: --uninitialised
// expect: uninitialised-read flags: -DSECOND options: --uninitialised
// expect: verified flags: -DFIX options: --uninitialised
// expect: verified flags: -DCOPY options: --uninitialised
// expect: verified flags: -DFIELDS options: --uninitialised
// A decision on a local variable that nothing was written to. What a call before left at its place does not count.
struct pair {
    long first, second;
};

struct fields {
    unsigned low : 3, high : 5;
};

static int decide(int write) {
    int number, numbers[3] = {0};
    if (write) number = 0;
#ifdef INDEX
    return numbers[number & 1]; // fault: uninitialised-read
#else
    if (number == 77) return numbers[1]; // fault: uninitialised-read
    return 0;
#endif
}

static struct pair copied(void) {
    struct pair pair, copy;
    pair.first = 1;
    copy = pair;
    return copy;
}

static unsigned filled(void) {
    struct fields fields;
    fields.low = 1;
    fields.high = 2;
    return fields.low;
}

int main(void) {
#ifdef FIX
    return decide(1);
#elif defined(SECOND)
    return decide(1) + decide(0);
#elif defined(COPY)
    return (int)copied().first - 1;
#elif defined(FIELDS)
    return (int)filled() - 1;
#else
    return decide(0);
#endif
}
