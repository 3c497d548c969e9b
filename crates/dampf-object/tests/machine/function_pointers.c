// Tables of functions, and functions that return functions.
#include <stdio.h>

typedef long (*operation)(long, long);

static long add(long a, long b) {
    return a + b;
}
static long subtract(long a, long b) {
    return a - b;
}
static long multiply(long a, long b) {
    return a * b;
}
static long power(long a, long b) {
    long result = 1;
    while (b-- > 0) result *= a;
    return result;
}

static operation choose(char symbol) {
    switch (symbol) {
    case '+': return add;
    case '-': return subtract;
    case '*': return multiply;
    case '^': return power;
    default: return NULL;
    }
}

int main(void) {
    long stack[16], top = 0;
    for (const char *at = "34+2*7-25^*9-"; *at; at++) {
        operation operation = choose(*at);
        if (operation) {
            long right = stack[--top], left = stack[--top];
            stack[top++] = operation(left, right);
        } else {
            stack[top++] = *at - '0';
        }
        printf("%ld ", stack[top - 1]);
    }
    putchar('\n');
    return (int)stack[0];
}
