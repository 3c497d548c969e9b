// Structures by value, unions, bit-fields and their layout.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct bits {
    unsigned a : 3;
    signed b : 5;
    unsigned long c : 40;
    unsigned char d : 1;
};
union view {
    double real;
    uint64_t bits;
    unsigned char bytes[8];
};
struct nested {
    char tag;
    struct {
        short x, y;
    } point;
    union view view;
    int tail[];
};

static struct bits change(struct bits bits) {
    bits.a += 6;
    bits.b -= 20;
    bits.c *= 3;
    bits.d ^= 1;
    return bits;
}

int main(void) {
    struct bits bits = {5, 10, 0x123456789, 1};
    for (int i = 0; i < 3; i++) {
        bits = change(bits);
        printf("%u %d %lx %u\n", bits.a, bits.b, (unsigned long)bits.c, bits.d);
    }
    union view view = {.real = -1.5};
    printf("%016lx %02x\n", (unsigned long)view.bits, view.bytes[7]);
    printf("%zu %zu %zu %zu\n", sizeof(struct bits), sizeof(struct nested), offsetof(struct nested, view), offsetof(struct nested, tail));
    struct nested first = {.tag = 'x', .point = {1, 2}}, second = first;
    second.point.y = 9;
    printf("%c %d %d\n", second.tag, first.point.y, second.point.y);
    return (int)bits.a;
}
