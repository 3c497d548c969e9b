// expect: invalid-access
// Neither can code.
int main(void) {
    int *volatile code = (int *)main;
    *code = 0; // fault: invalid-access
    return 0;
}
