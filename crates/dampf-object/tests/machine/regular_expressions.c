// POSIX regular expressions.
#include <regex.h>
#include <stdio.h>

int main(void) {
    regex_t expression;
    regmatch_t groups[4];
    static const char *const texts[] = {"2024-05-17", "on 1999-12-31.", "20-1-1", "0000-00-00 1111-11-11"};
    int found = 0;
    if (regcomp(&expression, "([0-9]{4})-([0-9]{2})-([0-9]{2})", REG_EXTENDED) != 0) return 1;
    for (int i = 0; i < 4; i++) {
        if (regexec(&expression, texts[i], 4, groups, 0) == 0) {
            found++;
            for (int g = 0; g < 4; g++) printf("[%.*s]", (int)(groups[g].rm_eo - groups[g].rm_so), texts[i] + groups[g].rm_so);
        }
        putchar('\n');
    }
    regfree(&expression);
    char message[64];
    regerror(regcomp(&expression, "(", REG_EXTENDED), &expression, message, sizeof message);
    puts(message);
    return found;
}
