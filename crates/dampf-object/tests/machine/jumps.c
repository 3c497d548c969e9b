// setjmp and longjmp, out of nested calls and back again.
#include <setjmp.h>
#include <stdio.h>

static jmp_buf places[3];
static int depth;

static void descend(int level) {
    depth++;
    if (level < 0) return;
    if (level == 0) longjmp(places[depth % 3], depth);
    descend(level - 1);
}

int main(void) {
    volatile int total = 0;
    for (volatile int i = 0; i < 3; i++) {
        int value = setjmp(places[i]);
        if (value != 0) {
            printf("back at %d with %d\n", i, value);
            total += value;
            if (total > 60) break;
        }
    }
    volatile int kept = 17;
    if (total <= 60) descend(4);
    printf("%d %d %d\n", total, kept, depth);
    return total;
}
