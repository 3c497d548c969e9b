// Quadruple precision, in software.
// flags: -lm
#include <math.h>
#include <stdio.h>

int main(void) {
    long double sum = 0, term = 1;
    for (int i = 1; i < 40; i++) {
        sum += term;
        term /= i;
    }
    printf("%.30Lf\n%.30Lf\n", sum, expl(1.0L));
    printf("%.25Lf %.25Lf\n", sqrtl(2.0L), sinl(1.0L));
    printf("%Le %Lg %d\n", 1.0L / 3.0L, powl(2.0L, 100.5L), (int)(sum * 1000.0L));
    printf("%d %d\n", sum > 2.718281828L, (float)sum == 2.7182818f);
    return (int)(sum * 10.0L);
}
