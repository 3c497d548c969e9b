// Functions within functions: code on the stack is avoided, the frames are not.
#include <stdio.h>

int main(void) {
    int total = 0;
    int add(int number) {
        total += number;
        return total;
    }
    for (int i = 0; i < 10; i++) printf("%d ", add(i * i));
    printf("\n");
    return total % 256;
}
