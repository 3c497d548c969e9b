// Shifts of signed and unsigned numbers by every distance.
#include <stdint.h>
#include <stdio.h>

int main(void) {
    volatile int32_t negative = -123456789;
    volatile uint32_t word = 0x9e3779b9;
    volatile int64_t wide = INT64_MIN / 3;
    for (int by = 0; by < 32; by++) printf("%d %u %u %ld %lu\n", negative >> by, word >> by, word << by, wide >> by, (uint64_t)wide << by);
    for (int by = 32; by < 64; by++) printf("%ld %lu\n", wide >> by, (uint64_t)wide >> by);
    return 5;
}
