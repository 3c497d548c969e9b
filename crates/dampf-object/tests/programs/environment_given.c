// expect: verified options: --env GREETING=hello --env EMPTY=
// expect: assertion
// The environment has what it was given, and nothing else.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

int main(void) {
    assert(getenv("GREETING")); // fault: assertion
    assert(strcmp(getenv("GREETING"), "hello") == 0 && strcmp(getenv("EMPTY"), "") == 0);
    assert(!getenv("HOME") && environ[0] && environ[1] && !environ[2]);
    return 0;
}
