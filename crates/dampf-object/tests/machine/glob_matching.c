// Patterns with stars, by backtracking, and the library's fnmatch.
#include <fnmatch.h>
#include <stdio.h>

static int matches(const char *pattern, const char *text) {
    if (*pattern == '\0') return *text == '\0';
    if (*pattern == '*') return matches(pattern + 1, text) || (*text && matches(pattern, text + 1));
    return *text && (*pattern == '?' || *pattern == *text) && matches(pattern + 1, text + 1);
}

int main(void) {
    static const char *const patterns[] = {"*", "a*c", "a?c", "*b*", "", "a*b*c*", "??"};
    static const char *const texts[] = {"abc", "ac", "", "aXXbXXc", "ab"};
    int count = 0;
    for (int i = 0; i < 7; i++) {
        for (int j = 0; j < 5; j++) {
            int own = matches(patterns[i], texts[j]), library = fnmatch(patterns[i], texts[j], 0) == 0;
            printf("%d%d ", own, library);
            count += own + library;
        }
        putchar('\n');
    }
    return count;
}
