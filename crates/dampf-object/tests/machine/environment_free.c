// The arguments of a program that is given none.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    printf("%d %d\n", argc, argv[argc] == NULL);
    setenv("DAMPF_TEST_VARIABLE", "set here", 1);
    printf("%s\n", getenv("DAMPF_TEST_VARIABLE"));
    unsetenv("DAMPF_TEST_VARIABLE");
    printf("%d\n", getenv("DAMPF_TEST_VARIABLE") == NULL);
    return argc;
}
