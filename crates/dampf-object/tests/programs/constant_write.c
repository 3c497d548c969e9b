// expect: invalid-access
// expect: invalid-access flags: -DMEMBER
// expect: invalid-access flags: -O2
// expect: verified flags: -DVARIABLE
// A constant cannot be written to, even if nobody reads it afterwards.
struct limits {
    int least, most;
};

#ifdef VARIABLE
#define CONSTANT
#else
#define CONSTANT const
#endif

CONSTANT int number = 42;
static CONSTANT struct limits limits = {1, 2};

int main(void) {
#ifdef MEMBER
    ((struct limits *)&limits)->most = 3; // fault: invalid-access
#else
    *(int *)&number = limits.least; // fault: invalid-access
#endif
    return 0;
}
