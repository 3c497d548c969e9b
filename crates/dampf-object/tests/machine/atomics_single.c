// Atomic operations without anybody else: load-reserved, store-conditional and the single instructions.
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

int main(void) {
    _Atomic int32_t word = 5;
    _Atomic int64_t wide = -5;
    _Atomic uint8_t byte = 250;
    for (int i = 0; i < 10; i++) {
        int32_t expected = i;
        printf("%d %ld %u ", atomic_fetch_add(&word, i), (long)atomic_fetch_sub(&wide, i), (unsigned)atomic_fetch_add(&byte, 1));
        printf("%d %d ", atomic_compare_exchange_strong(&word, &expected, 3), expected);
        printf("%d %ld\n", atomic_exchange(&word, atomic_load(&word) ^ 1), (long)atomic_fetch_or(&wide, 64));
    }
    return byte;
}
