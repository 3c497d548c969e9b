// Conversions between types of all widths.
#include <stdint.h>
#include <stdio.h>

int main(void) {
    static const int64_t values[] = {0, -1, 127, 128, 255, 256, -129, 65535, 65536, 0x12345678, -0x12345678, 0x123456789abc};
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        int64_t value = values[i];
        int8_t a = (int8_t)value;
        uint8_t b = (uint8_t)value;
        int16_t c = (int16_t)value;
        uint16_t d = (uint16_t)value;
        int32_t e = (int32_t)value;
        uint32_t f = (uint32_t)value;
        char g = (char)value;
        printf("%d %u %d %u %d %u %d %ld %lu %d\n", a, b, c, d, e, f, g, (long)a + f, (unsigned long)e, (b << 8 | 1) > d);
    }
    return (char)-1 > 0 ? 3 : 4;
}
