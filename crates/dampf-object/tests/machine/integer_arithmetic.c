// Division, remainder and multiplication of every width and sign.
#include <inttypes.h>
#include <stdio.h>

int main(void) {
    static const int64_t numbers[] = {0, 1, -1, 7, -7, 100, -128, 32767, 2147483647, -2147483647, INT64_MAX, INT64_MIN + 1};
    unsigned count = sizeof numbers / sizeof *numbers, sum = 0;
    for (unsigned i = 0; i < count; i++) {
        for (unsigned j = 1; j < count; j++) {
            int64_t a = numbers[i], b = numbers[j];
            printf("%" PRId64 " / %" PRId64 " = %" PRId64 " rest %" PRId64 "\n", a, b, a / b, a % b);
            printf("  %d %d %u %u\n", (int)(int32_t)a / ((int32_t)b | 1), (int)(int16_t)a % ((int16_t)b | 1),
                   (uint32_t)a / ((uint32_t)b | 1), (uint32_t)a % ((uint32_t)b | 1));
            uint64_t product = (uint64_t)a * (uint64_t)b;
            printf("  %" PRIx64 " %x\n", product, (uint32_t)a * (uint32_t)b);
            sum += (unsigned)product;
        }
    }
    return (int)(sum % 100);
}
