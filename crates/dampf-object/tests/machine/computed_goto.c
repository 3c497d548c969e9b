// A small interpreter with labels as values.
#include <stdio.h>

int main(void) {
    static const void *const labels[] = {&&push, &&add, &&duplicate, &&print, &&loop, &&stop};
    static const int program[] = {0, 1, 2, 3, 1, 4, 1, 5};
    int stack[64], top = 0, at = 0, rounds = 0;
    goto *labels[program[at]];
push:
    stack[top++] = program[at + 1];
    at += 2;
    goto *labels[program[at]];
add:
    top--;
    stack[top - 1] += stack[top];
    at++;
    goto *labels[program[at]];
duplicate:
    stack[top] = stack[top - 1];
    top++;
    at++;
    goto *labels[program[at]];
print:
    printf("%d ", stack[top - 1]);
    at++;
    goto *labels[program[at]];
loop:
    at = rounds++ < 10 ? 2 : 7;
    goto *labels[program[at]];
stop:
    printf("\n");
    return stack[top - 1] & 127;
}
