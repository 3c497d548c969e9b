// Searching text by Knuth, Morris and Pratt, and the library's way.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

int main(void) {
    static char text[2000];
    const char *pattern = "abcabd";
    int failure[8] = {0}, length = (int)strlen(pattern), found = 0;
    unsigned state = 7;
    for (int i = 0; i < 1999; i++) {
        state = state * 1103515245 + 12345;
        text[i] = (char)('a' + (state >> 16) % 4);
    }
    memcpy(text + 700, pattern, 6);
    memcpy(text + 1500, pattern, 6);
    for (int i = 1, k = 0; i < length; i++) {
        while (k > 0 && pattern[k] != pattern[i]) k = failure[k - 1];
        if (pattern[k] == pattern[i]) k++;
        failure[i] = k;
    }
    for (int i = 0, k = 0; text[i]; i++) {
        while (k > 0 && pattern[k] != text[i]) k = failure[k - 1];
        if (pattern[k] == text[i]) k++;
        if (k == length) {
            printf("at %d\n", i - length + 1);
            found++;
            k = failure[k - 1];
        }
    }
    printf("%td %td\n", strstr(text, pattern) - text, (char *)memmem(text + 1000, 900, "abcabd", 6) - text);
    return found;
}
