// The forms that remember the signal mask.
#include <setjmp.h>
#include <stdio.h>

static sigjmp_buf place;

__attribute__((noinline)) static void leave(int value) {
    siglongjmp(place, value);
}

int main(void) {
    volatile int times = 0;
    int value = sigsetjmp(place, 0);
    times++;
    printf("%d %d\n", value, times);
    if (times < 4) leave(times * 10);
    return times;
}
