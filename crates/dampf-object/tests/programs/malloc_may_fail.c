// expect: verified
// expect: invalid-access options: --malloc-may-fail
// expect: verified flags: -DCHECKED options: --malloc-may-fail
// expect: verified flags: -DCHECKED -DREALLOC options: --malloc-may-fail
// expect: leak flags: -DREALLOC -DCHECKED -DBUG options: --malloc-may-fail --leaks
// A program that does not look at what malloc returns.
#include <stdlib.h>

int main(void) {
    int *number = malloc(sizeof *number);
#ifdef CHECKED
    if (!number) return 0;
#endif
    *number = 1; // fault: invalid-access
#ifdef REALLOC
    int *more = realloc(number, 2 * sizeof *number);
#ifdef BUG
    number = more;
#else
    if (more) number = more;
#endif
#endif
    free(number);
    return 0;
}
