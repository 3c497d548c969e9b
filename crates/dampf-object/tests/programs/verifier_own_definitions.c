// expect: assertion
// Benchmarks bring their own definitions.
#include <assert.h>
extern void abort(void);
void reach_error(void) {
    assert(0);
}
void __VERIFIER_assert(int condition) {
    if (!condition) {
        reach_error(); // fault: assertion
        abort();
    }
}
extern _Bool __VERIFIER_nondet_bool(void);

int main(void) {
    int number = 1;
    if (__VERIFIER_nondet_bool()) number = 2;
    __VERIFIER_assert(number == 1);
    return 0;
}
