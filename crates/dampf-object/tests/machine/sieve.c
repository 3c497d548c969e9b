// Primes below ten thousand.
#include <stdio.h>
#include <string.h>

int main(void) {
    static char composite[10000];
    int count = 0, last = 0;
    memset(composite, 0, sizeof composite);
    for (int i = 2; i < 10000; i++) {
        if (composite[i]) continue;
        count++;
        last = i;
        for (int j = i * i; j < 10000; j += i) composite[j] = 1;
    }
    printf("%d primes, the last is %d\n", count, last);
    return count % 256;
}
