// expect: verified
// Space on the stack whose size is known late.
#include <alloca.h>
#include <assert.h>
#include <string.h>

__attribute__((noinline)) static int sum(int count) {
    char *bytes = alloca((unsigned long)count);
    int numbers[count], total = 0;
    memset(bytes, 1, (unsigned long)count);
    for (int i = 0; i < count; i++) numbers[i] = bytes[i] + i;
    for (int i = 0; i < count; i++) total += numbers[i];
    return total;
}

int main(void) {
    volatile int count = 10;
    assert(sum(count) == 55);
    return 0;
}
