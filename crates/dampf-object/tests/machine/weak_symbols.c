// Weak definitions, aliases and sections.
#include <stdio.h>

extern int absent(void) __attribute__((weak));
int original(void);
int original(void) {
    return 5;
}
extern int other_name(void) __attribute__((alias("original")));
__attribute__((weak)) int overridable(void) {
    return 7;
}
__attribute__((section("own_section"))) static int placed = 11;

int main(void) {
    printf("%d %d %d %d\n", absent == NULL, other_name(), overridable(), placed);
    return original() + overridable() + placed;
}
