// The classes of characters.
#include <ctype.h>
#include <stdio.h>

int main(void) {
    int sum = 0;
    for (int c = 0; c < 128; c++) {
        int classes = (isalpha(c) != 0) | (isdigit(c) != 0) << 1 | (isspace(c) != 0) << 2 | (ispunct(c) != 0) << 3 | (iscntrl(c) != 0) << 4 | (isupper(c) != 0) << 5
                      | (islower(c) != 0) << 6 | (isxdigit(c) != 0) << 7 | (isprint(c) != 0) << 8 | (isgraph(c) != 0) << 9 | (isblank(c) != 0) << 10;
        printf("%x%c", classes, c % 16 == 15 ? '\n' : ' ');
        sum += classes + toupper(c) - tolower(c);
    }
    return sum & 127;
}
