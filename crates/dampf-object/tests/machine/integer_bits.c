// Counting, finding, reversing and rotating bits.
#include <stdint.h>
#include <stdio.h>

static uint32_t rotate(uint32_t value, unsigned by) {
    return value << (by & 31) | value >> (-by & 31);
}

int main(void) {
    uint64_t state = 0x123456789abcdef1u;
    int total = 0;
    for (int i = 0; i < 40; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        total += __builtin_popcountll(state);
        printf("%d %d %d %d %08x %08x %04x\n", __builtin_popcountll(state), __builtin_clzll(state), __builtin_ctzll(state),
               __builtin_parityll(state), rotate((uint32_t)state, (unsigned)i), __builtin_bswap32((uint32_t)state),
               __builtin_bswap16((uint16_t)state));
    }
    printf("%d %d\n", __builtin_ffs(0), __builtin_ffsll(1ull << 40));
    return total & 127;
}
