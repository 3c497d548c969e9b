// expect: verified options: --stdin input.txt
// expect: assertion flags: -DWRONG options: --stdin input.txt
// expect: unknown
// Standard input has what a file has, in order, and ends where it ends.
#include <assert.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
    int one, two;
    assert(scanf("%d %d", &one, &two) == 2);
#ifdef WRONG
    assert(one + two == 43); // fault: assertion
#else
    assert(one + two == 42);
#endif
    char line[64];
    assert(fgets(line, sizeof line, stdin) && line[0] == '\n');
    assert(fgets(line, sizeof line, stdin) && line[0] == 't');
    assert(!fgets(line, sizeof line, stdin) && feof(stdin));
    struct stat status;
    assert(fstat(0, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 23 && !isatty(0));
    return 0;
}
