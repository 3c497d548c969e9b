// expect: verified
// expect: stack-access flags: -DBUG
// A local variable ends with its function.
static int *volatile escaped;

__attribute__((noinline)) static int escape(void) {
    int local = 5;
    escaped = &local;
    return *escaped;
}

int main(void) {
    int value = escape();
#ifdef BUG
    value = *escaped; // fault: stack-access
#endif
    return value - 5;
}
