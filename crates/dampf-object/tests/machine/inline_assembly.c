// Instructions written by hand, where the machine is the right one.
#include <stdint.h>
#include <stdio.h>

int main(void) {
    uint64_t low = 0xfedcba9876543210u, high = 0x0123456789abcdefu, upper, sum, byte;
#ifdef __riscv
    __asm__("mulhu %0, %1, %2" : "=r"(upper) : "r"(low), "r"(high));
    __asm__("add %0, %1, %2" : "=r"(sum) : "r"(low), "r"(high));
    __asm__ volatile("lbu %0, 3(%1)" : "=r"(byte) : "r"(&low) : "memory");
#else
    upper = (uint64_t)((unsigned __int128)low * high >> 64);
    sum = low + high;
    byte = low >> 24 & 255;
#endif
    printf("%016lx %016lx %02lx\n", (unsigned long)upper, (unsigned long)sum, (unsigned long)byte);
    return (int)byte;
}
