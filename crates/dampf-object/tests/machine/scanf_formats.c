// Every conversion of sscanf.
#include <stdio.h>

int main(void) {
    int a = 0, b = 0, c = 0, count = 0;
    unsigned d = 0;
    float e = 0;
    double f = 0;
    char word[16] = "", set[16] = "", letter = 0;
    long g = 0;
    count += sscanf("12 -34 0x1f", "%d %d %i", &a, &b, &c);
    count += sscanf("ff 1.5 2.5e2", "%x %f %lf", &d, &e, &f);
    count += sscanf("word abc123 z", "%15s %15[a-c] %*d %c", word, set, &letter);
    count += sscanf("key=77;", "key=%ld;", &g);
    printf("%d %d %d %u %.2f %.2f %s %s %c %ld %d\n", a, b, c, d, e, f, word, set, letter, g, count);
    printf("%d %d\n", sscanf("x", "%d", &a), sscanf("", "%d", &a));
    return count;
}
