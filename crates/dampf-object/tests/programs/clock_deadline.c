// expect: assertion
// expect: verified flags: -DPATIENT
// expect: unknown options: --clock-jumps 0
// expect: verified flags: -DTWICE
// expect: assertion flags: -DTWICE options: --clock-jumps 2
//
// Wherever a clock is read, time may have passed, more than any deadline allows.
#include <assert.h>
#include <stdbool.h>
#include <time.h>

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

static bool is_late(void) {
    long end = now() + 5;
    return now() >= end;
}

int main(void) {
#if defined PATIENT
    long before = now();
    assert(now() >= before);
#elif defined TWICE
    bool first = is_late(), second = is_late();
    assert(!first || !second); // fault: assertion
#else
    assert(!is_late()); // fault: assertion
#endif
    return 0;
}
