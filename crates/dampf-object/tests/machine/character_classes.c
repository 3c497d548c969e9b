// The classes of characters.
#include <ctype.h>
#include <stdio.h>

int main(void) {
    int sum = 0;
    for (int c = 0; c < 128; c++) {
        int classes = !!isalpha(c) | !!isdigit(c) << 1 | !!isspace(c) << 2 | !!ispunct(c) << 3 | !!iscntrl(c) << 4 | !!isupper(c) << 5
                      | !!islower(c) << 6 | !!isxdigit(c) << 7 | !!isprint(c) << 8 | !!isgraph(c) << 9 | !!isblank(c) << 10;
        printf("%x%c", classes, c % 16 == 15 ? '\n' : ' ');
        sum += classes + toupper(c) - tolower(c);
    }
    return sum & 127;
}
