// Dense and sparse switches.
#include <stdio.h>

static int dense(int number) {
    switch (number) {
    case 0: return 10;
    case 1: return 11;
    case 2: return 100;
    case 3: return 7;
    case 4: return -1;
    case 5: return 55;
    case 6: return 13;
    case 7: return 99;
    default: return 0;
    }
}

static int sparse(long number) {
    switch (number) {
    case -1000000: return 1;
    case 5: return 2;
    case 100 ... 199: return 3;
    case 1L << 40: return 4;
    default: return 5;
    }
}

int main(void) {
    int sum = 0;
    for (int i = -2; i < 10; i++) sum += dense(i);
    static const long numbers[] = {-1000000, 5, 100, 150, 199, 200, 1L << 40, 0};
    for (int i = 0; i < 8; i++) sum = sum * 3 + sparse(numbers[i]);
    printf("%d\n", sum);
    return sum & 127;
}
